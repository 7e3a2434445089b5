import Explanation
import Trust
import URLLoading

/// The app's delegate for challenges, as a scenario describes it: a preset by its name, or a table of conditions and
/// answers.
public struct DelegateDescription: Sendable, Hashable {
  /// One row of the table.
  public struct Rule: Sendable, Hashable {
    /// When it counts.
    public var condition = ChallengeCondition()
    /// What it changes of the trust before it looks at it; nil where it changes nothing.
    public var trust: ServerTrustDescription?
    /// How it looks at the trust; nil where it looks at none.
    public var look: Look?
    /// What it calls, in order.
    public var answers: [DelegateCall] = []
    /// What it calls when the trust is not good.
    public var otherwise: [DelegateCall] = []

    /// Whether it looks at a trust at all.
    var looks: Bool { trust != nil || look != nil }
  }

  /// How a delegate looks at a trust.
  public struct Look: Sendable, Hashable {
    /// The results with which it is content.
    public var results: [SecTrustResultType] = [.proceed, .unspecified]
    /// Whether it looks at the status beside the result.
    public var checksStatus = true
    /// Which trust it looks at.
    public var subject = TrustInspection.Subject.challenge
  }

  /// The preset that it is; nil for a table of the scenario's own.
  public var preset: DelegatePreset?
  /// The certificates that a preset sets as anchors.
  public var anchors: [String]?
  /// How their files are written.
  public var anchorForm = CertificateForm.der
  /// The host that `$HOST` stands for in its spaces; nil for that of the first URL.
  public var host: String?
  /// The methods that it implements; nil for all that its loader may call.
  public var methods: [DelegateMethod]?
  /// What `connectionShouldUseCredentialStorage:` answers; nil where it is not implemented.
  public var shouldUseCredentialStorage: Bool?
  /// What `canAuthenticateAgainstProtectionSpace:` says yes to.
  public var canAuthenticate: [AuthenticationMethod] = []
  /// The rows.
  public var rules: [Rule] = []

  /// The certificates it names.
  var names: [String] {
    (anchors ?? []) + rules.flatMap { rule in (rule.trust?.names ?? []) + rule.identities }
  }
}

extension DelegateDescription.Rule {
  /// The certificates of identities that it hands in.
  fileprivate var identities: [String] {
    (answers + otherwise).compactMap { call in
      guard case .useCredential(.made(let credential)) = call, case .identity(let name, _) = credential.kind else {
        return nil
      }
      return name
    }
  }
}

extension DelegateDescription {
  /// Every word of `delegate`.
  static let section = Section<DelegateDescription>(
    "delegate", "The app's delegate for authentication challenges: which methods it has, and what it answers when.",
    [
      .term(
        "preset", Kind<String>.choice(DelegatePreset.names, called: "delegate").map { DelegatePreset(named: $0) },
        "a delegate by its name", into: \.preset),
      .term("anchors", .certificateNames, "the certificates that the preset sets as anchors", into: \.anchors),
      .term(
        "anchorForm", .choice(called: "form of a certificate"),
        "how their files are written: DER (if left out), or PEM, of which the system makes none", into: \.anchorForm),
      .term("host", .text, "the host that $HOST stands for; that of the first URL, if left out", into: \.host),
      .term(
        "methods", .list(.choice(called: "method of a delegate")),
        "the methods that it implements; all that its loader may call, if left out", into: \.methods),
      .term(
        "shouldUseCredentialStorage", .flag,
        "what connectionShouldUseCredentialStorage: answers; not implemented, if left out",
        into: \.shouldUseCredentialStorage),
      .term(
        "canAuthenticate", .list(.authenticationMethod),
        "what canAuthenticateAgainstProtectionSpace: says yes to", into: \.canAuthenticate),
      .term(
        "rules", .list(.section(Rule.section) { Rule() }),
        "conditions and answers: the first that holds counts; where none does, nothing is answered", into: \.rules),
    ])

  /// The sections of what stands in it.
  static let sections: [WordSection] = [
    section.words, Rule.section.words, ChallengeCondition.section.words, FailureCount.section.words,
    SpaceList.section.words, Look.section.words, DelegateAnswer.section.words, PasswordDescription.section.words,
    ProtectionSpacePattern.section.words, StoredCredential.section.words,
  ]

  /// What `describe` says of it.
  var sentences: [String] {
    if let preset {
      let own = anchors.map { ["Its anchors are \($0.listed)\(anchorForm == .pem ? ", in PEM" : "")."] } ?? []
      return ["Its delegate is the one called \(preset.name): \(preset.meaning)."] + own
    }
    return ["Its delegate answers by a table of \(rules.count == 1 ? "one row" : "\(rules.count) rows")."]
  }
}

extension DelegateDescription.Rule {
  static let section = Section<Self>(
    "delegate rule", "One row of a delegate: when it counts, and what it calls.",
    [
      .term(
        "when", .section(ChallengeCondition.section) { ChallengeCondition() },
        "when it counts: every part that is said must hold; always, if left out", into: \.condition),
      .term("trust", .serverTrust, "what it changes of the trust before it looks at it", into: \.trust),
      .term(
        "if", .section(DelegateDescription.Look.section) { .init() },
        "how it looks at the trust, and with which results it is content", into: \.look),
      .term(
        "answer", .delegateCalls, "what it calls: useCredential, cancel, …; several in order, or none", into: \.answers),
      .term("else", .delegateCalls, "what it calls when the trust is not good", into: \.otherwise),
    ])
}

extension DelegateDescription.Look {
  static let section = Section<Self>(
    "trust condition", "How a delegate looks at a trust.",
    [
      .term(
        "results", .list(.trustResult), "the results with which it is content: Proceed and Unspecified, if left out",
        into: \.results),
      .term(
        "status", Kind<String>.choice(["checked", "ignored"], called: "way with the status").map { $0 == "checked" },
        "whether it looks at the OSStatus beside the result; checked, if left out", into: \.checksStatus),
      .term(
        "of", .choice(called: "trust"), "which trust it looks at: the challenge's, or one of its own that is nil",
        into: \.subject),
    ])
}

extension ChallengeCondition {
  static let section = Section<Self>(
    "challenge condition", "When a row of a delegate counts.",
    [
      .term("method", .oneOrMany(.authenticationMethod), "the authentication method, or several", into: \.methods),
      .term(
        "failures", .failures, "how many attempts have failed: a number, { below: 5 } or { atLeast: 1 }",
        into: \.failures),
      .term("host", .text, "the host of the protection space", into: \.space.host),
      .term("port", .port, "the port of the protection space", into: \.space.port),
      .term("protocol", .spaceProtocol, "the protocol of the protection space", into: \.space.protocol),
      .term("realm", .text, "the realm of the protection space, letter by letter", into: \.space.realm),
      .term("isProxy", .flag, "whether a proxy asks", into: \.isProxy),
      .term("proxyType", .proxyType, "the kind of proxy that asks", into: \.space.proxyType),
      .term(
        "space", .spaces, "protection spaces of which it must be one (in), or none (notIn)", into: \.spaces),
      .term("registered", .flag, "whether the app believes its device to be registered", into: \.isRegistered),
    ])

  /// The spaces of which it must be one, or none, as they are written.
  fileprivate var spaces: SpaceList {
    get { SpaceList(isIn: isIn, isNotIn: isNotIn) }
    set { (isIn, isNotIn) = (newValue.patterns(newValue.isIn), newValue.patterns(newValue.isNotIn)) }
  }
}

/// Spaces as a condition lists them, while they are read.
struct SpaceList: Sendable {
  var isIn: [ProtectionSpacePattern]?
  var isNotIn: [ProtectionSpacePattern]?
  var isWhole = false

  func patterns(_ list: [ProtectionSpacePattern]?) -> [ProtectionSpacePattern]? {
    list?.map { pattern in
      var pattern = pattern
      pattern.isWhole = isWhole || pattern.isWhole
      return pattern
    }
  }

  static let section = Section<SpaceList>(
    "space condition", "Protection spaces that a delegate compares a challenge's with.",
    [
      .term("in", .list(.space), "it must be one of these", into: \.isIn),
      .term("notIn", .list(.space), "it must be none of these", into: \.isNotIn),
      .term(
        "whole", .flag, "whether all parts are compared, those left out as nil; false, if left out", into: \.isWhole),
    ])
}

/// A number of failures while it is read.
struct FailureCount: Sendable {
  var below: Int?
  var atLeast: Int?

  static let section = Section<FailureCount>(
    "failure count", "How many attempts have failed.",
    [
      .term("below", .integer(1...1000), "fewer than this", into: \.below),
      .term("atLeast", .integer(0...1000), "this many or more", into: \.atLeast),
    ])
}

extension ProtectionSpacePattern {
  static let section = Section<Self>(
    "protection space", "A protection space: NSURLProtectionSpace.",
    [
      .term("host", .text, "the host; $HOST is that of the first URL", into: \.host),
      .term("port", .port, "the port", into: \.port),
      .term("protocol", .spaceProtocol, "http, https or ftp", into: \.protocol),
      .term("realm", .text, "the realm, letter by letter; nil, if left out", into: \.realm),
      .term("method", .authenticationMethod, "the authentication method; Default, if left out", into: \.method),
      .term(
        "proxyType", .proxyType, "the kind of proxy that asks: http, https, ftp, SOCKS; none, if left out",
        into: \.proxyType),
    ])
}

extension Kind {
  static var proxyType: Kind<ProtectionSpace.ProxyType> { .choice(called: "kind of proxy") }

  /// A protection space.
  static var space: Kind<ProtectionSpacePattern> {
    Kind<ProtectionSpacePattern>.section(ProtectionSpacePattern.section) { ProtectionSpacePattern() }
  }

  static var spaces: Kind<SpaceList> {
    Kind<SpaceList>(.section(SpaceList.section.name)) { reader in
      let reports = reader.sink.reports
      var list = SpaceList()
      guard reader.read(SpaceList.section, into: &list) != nil, reader.sink.reports == reports else { return nil }
      if (list.isIn == nil) == (list.isNotIn == nil) {
        reader.fail("\(reader.path) says 'in' or 'notIn'", hint: "write { notIn: [{ host: api.example, port: 443 }] }")
        return nil
      }
      return list
    }
  }

  static var authenticationMethod: Kind<AuthenticationMethod> {
    let words = Kind<AuthenticationMethod>.choice(called: "authentication method")
    return Kind<AuthenticationMethod>(words.shape, written: words.written) { reader in
      if case .scalar(let text, _, _) = reader.node,
        let method = AuthenticationMethod.allCases.first(where: { $0.constant == text })
      {
        reader.fail("'\(text)' is the name of a constant", hint: "write \(method.rawValue)")
        return nil
      }
      return words.read(reader)
    }.named("authentication method")
  }

  static var port: Kind<UInt16> { Kind<Int>.integer(1...65_535).map { UInt16($0) } }

  static var spaceProtocol: Kind<String> { Kind<String>.choice(["http", "https", "ftp"], called: "protocol") }

  /// A result of SecTrustEvaluate, as Apple names it or without what all names begin with.
  static var trustResult: Kind<SecTrustResultType> {
    let words = SecTrustResultType.allCases.map { String($0.description.dropFirst("kSecTrustResult".count)) }
    return Kind<SecTrustResultType>(.choice(words)) { reader in
      reader.choice(words, called: "result").flatMap { word in
        SecTrustResultType.allCases.first { $0.description == "kSecTrustResult\(word)" }
      }
    }
  }

  static var failures: Kind<ClosedRange<Int>> {
    let section = FailureCount.section
    return Kind<ClosedRange<Int>>(.either([.integer(0...1000), .section(section.name)])) { reader in
      guard reader.node.entries != nil else { return reader.integer(0...1000).map { $0...$0 } }
      let reports = reader.sink.reports
      var count = FailureCount()
      guard reader.read(section, into: &count) != nil, reader.sink.reports == reports else { return nil }
      let (lower, upper) = (count.atLeast ?? 0, (count.below ?? 1_000_001) - 1)
      guard lower <= upper, count.below != nil || count.atLeast != nil else {
        reader.fail(
          "\(reader.path) says how many failures: no number is meant", hint: "write { below: 5 } or { atLeast: 1 }")
        return nil
      }
      return lower...upper
    }
  }

  /// A delegate by its name, or its table.
  static var challengeDelegate: Kind<DelegateDescription> {
    let section = DelegateDescription.section
    return Kind<DelegateDescription>(.either([.choice(DelegatePreset.names), .section(section.name)])) { reader in
      guard reader.node.entries != nil else {
        return reader.choice(DelegatePreset.names, called: "delegate").flatMap {
          DelegatePreset(named: $0)?.description
        }
      }
      var delegate = DelegateDescription()
      guard let map = reader.read(section, into: &delegate) else { return nil }
      return delegate.checked(map)
    }
  }
}

extension DelegateDescription {
  /// The delegate with what its preset says; nil where the two contradict each other.
  fileprivate func checked(_ map: MapReader) -> DelegateDescription? {
    let place = map.reader
    guard let preset else {
      if rules.isEmpty, map["rules"] == nil, map["preset"] == nil {
        place.fail(
          "\(place.path) has neither a preset nor rules", hint: "write rules: [{ answer: cancel }], or a preset")
        return nil
      }
      if let anchors = map["anchors"] ?? map["anchorForm"] {
        anchors.fail("\(anchors.path) belongs to a preset", hint: "write trust: { anchors: [Root A] } in the rule")
      }
      return self
    }
    if !rules.isEmpty {
      place.fail("\(place.path) has a preset and rules of its own", hint: "leave out the one or the other")
      return nil
    }
    var whole = preset.description
    whole.host = host
    if let methods { whole.methods = methods }
    if let shouldUseCredentialStorage { whole.shouldUseCredentialStorage = shouldUseCredentialStorage }
    if let anchors {
      whole.anchors = anchors
      for index in whole.rules.indices where whole.rules[index].looks {
        var trust = whole.rules[index].trust ?? .standard
        trust.anchors = anchors
        trust.anchorForm = anchorForm
        whole.rules[index].trust = trust
      }
    }
    return whole
  }
}
