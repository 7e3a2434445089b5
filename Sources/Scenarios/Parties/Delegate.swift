import Explanation
import Trust
import URLLoading

/// The delegate that answers an app's challenges, as a scenario describes it. It is a preset, or a table of conditions
/// and answers.
public struct DelegateDescription: Sendable, Hashable {
  /// A row of the delegate's table.
  public struct Rule: Sendable, Hashable {
    /// The condition of the row.
    public var condition = ChallengeCondition()
    /// The changes to the trust before it is evaluated; nil for none.
    public var trust: ServerTrustDescription?
    /// The check of the trust's result; nil for no check.
    public var look: Look?
    /// The delegate's calls as its answer, in order.
    public var answers: [DelegateCall] = []
    /// The delegate's calls if the trust check fails.
    public var otherwise: [DelegateCall] = []

    /// Whether the row checks the trust.
    var looks: Bool { trust != nil || look != nil }
  }

  /// A check of a trust by a delegate.
  public struct Look: Sendable, Hashable {
    /// The trust results that pass the check.
    public var results: [SecTrustResultType] = [.proceed, .unspecified]
    /// Whether the delegate checks the returned status in addition to the result.
    public var checksStatus = true
    /// The trust that the delegate checks.
    public var subject = TrustInspection.Subject.challenge
  }

  /// The delegate's preset; nil if the scenario has its own table.
  public var preset: DelegatePreset?
  /// The certificates that a preset sets as anchors; nil for none.
  public var anchors: [String]?
  /// The encoding of the anchor files.
  public var anchorForm = CertificateForm.der
  /// The host that replaces `$HOST` in protection spaces; nil for the host of the first URL.
  public var host: String?
  /// The methods that the delegate implements; nil for all that its loader may call.
  public var methods: [DelegateMethod]?
  /// The result of `connectionShouldUseCredentialStorage:`; nil if the delegate does not implement it.
  public var shouldUseCredentialStorage: Bool?
  /// The authentication methods for which `canAuthenticateAgainstProtectionSpace:` returns YES.
  public var canAuthenticate: [AuthenticationMethod] = []
  /// The rows of the delegate's table.
  public var rules: [Rule] = []

  /// The names of the certificates that the rule uses.
  var names: [String] {
    (anchors ?? []) + rules.flatMap { rule in (rule.trust?.names ?? []) + rule.identities }
  }
}

extension DelegateDescription.Rule {
  /// The names of the identity certificates in the rule's credentials.
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
  /// Every key of `delegate`.
  static let section = Section<DelegateDescription>(
    "delegate", "The app's delegate for authentication challenges: its methods and its answers.",
    [
      .term(
        "preset", Kind<String>.choice(DelegatePreset.names, called: "delegate").map { DelegatePreset(named: $0) },
        "the name of a predefined delegate", into: \.preset),
      .term("anchors", .certificateNames, "the certificates that the preset sets as anchors", into: \.anchors),
      .term(
        "anchorForm", .choice(called: "certificate encoding"),
        "the encoding of the anchor files: DER, or PEM, which the system cannot read; default: "
          + "DER", into: \.anchorForm),
      .term("host", .text, "the host that replaces $HOST; default: the host of the first URL", into: \.host),
      .term(
        "methods", .list(.choice(called: "delegate method")),
        "the methods that the delegate implements; default: all methods that its loader may call", into: \.methods),
      .term(
        "shouldUseCredentialStorage", .flag,
        "the value that connectionShouldUseCredentialStorage: returns; default: the method is not implemented",
        into: \.shouldUseCredentialStorage),
      .term(
        "canAuthenticate", .list(.authenticationMethod),
        "the authentication methods for which canAuthenticateAgainstProtectionSpace: returns YES",
        into: \.canAuthenticate),
      .term(
        "rules", .list(.section(Rule.section) { Rule() }),
        "the conditions and answers: the first row that matches applies; without a match, there is no answer",
        into: \.rules),
    ])

  /// The sections of the maps within `delegate`.
  static let sections: [WordSection] = [
    section.words, Rule.section.words, ChallengeCondition.section.words, FailureCount.section.words,
    SpaceList.section.words, Look.section.words, DelegateAnswer.section.words, PasswordDescription.section.words,
    ProtectionSpacePattern.section.words, StoredCredential.section.words,
  ]

  /// The sentences that `describe` prints about the delegate.
  var sentences: [String] {
    if let preset {
      let own = anchors.map { ["Its anchors are \($0.listed)\(anchorForm == .pem ? ", in PEM" : "")."] } ?? []
      return ["Its delegate is \(preset.name): \(preset.meaning)."] + own
    }
    return ["Its delegate has a table with \(rules.count == 1 ? "one row" : "\(rules.count) rows")."]
  }
}

extension DelegateDescription.Rule {
  static let section = Section<Self>(
    "delegate rule", "A row in the table of a delegate: a condition, and the calls that it leads to.",
    [
      .term(
        "when", .section(ChallengeCondition.section) { ChallengeCondition() },
        "the condition, every part of which must be true; default: always", into: \.condition),
      .term("trust", .serverTrust, "the changes to the trust object before it is evaluated", into: \.trust),
      .term(
        "if", .section(DelegateDescription.Look.section) { .init() },
        "the check of the trust evaluation, with the accepted results", into: \.look),
      .term(
        "answer", .delegateCalls, "the calls, such as useCredential or cancel: one, several in order, or none",
        into: \.answers),
      .term("else", .delegateCalls, "the calls if the trust check fails", into: \.otherwise),
    ])
}

extension DelegateDescription.Look {
  static let section = Section<Self>(
    "trust condition", "A delegate's check of a trust evaluation.",
    [
      .term(
        "results", .list(.trustResult), "the accepted results of the evaluation; default: Proceed and Unspecified",
        into: \.results),
      .term(
        "status", Kind<String>.choice(["checked", "ignored"], called: "status setting").map { $0 == "checked" },
        "whether the delegate checks the OSStatus in addition to the result; default: checked", into: \.checksStatus),
      .term(
        "of", .choice(called: "trust"),
        "the trust object that the delegate checks: the challenge's, or its own variable, which is nil",
        into: \.subject),
    ])
}

extension ChallengeCondition {
  static let section = Section<Self>(
    "challenge condition", "The condition of a row in the table of a delegate.",
    [
      .term(
        "method", .oneOrMany(.authenticationMethod), "the authentication method, or several methods", into: \.methods),
      .term(
        "failures", .failures, "the number of failed attempts: a number, { below: 5 } or { atLeast: 1 }",
        into: \.failures),
      .term("host", .text, "the host of the protection space", into: \.space.host),
      .term("port", .port, "the port of the protection space", into: \.space.port),
      .term("protocol", .spaceProtocol, "the protocol of the protection space", into: \.space.protocol),
      .term("realm", .text, "the exact realm of the protection space", into: \.space.realm),
      .term("isProxy", .flag, "whether the challenge is from a proxy", into: \.isProxy),
      .term("proxyType", .proxyType, "the kind of proxy", into: \.space.proxyType),
      .term(
        "space", .spaces,
        "the protection spaces that must include the challenge's space (in), or must not include it (notIn)",
        into: \.spaces),
      .term("registered", .flag, "whether the app assumes that its device is registered", into: \.isRegistered),
    ])

  /// Both lists of protection spaces as a single value, as a scenario writes them.
  fileprivate var spaces: SpaceList {
    get { SpaceList(isIn: isIn, isNotIn: isNotIn) }
    set { (isIn, isNotIn) = (newValue.patterns(newValue.isIn), newValue.patterns(newValue.isNotIn)) }
  }
}

/// The lists of protection spaces in a condition, under construction.
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
    "space condition", "The protection spaces to compare with the protection space of a challenge.",
    [
      .term("in", .list(.space), "the challenge's protection space must be one of these", into: \.isIn),
      .term("notIn", .list(.space), "the challenge's protection space must be none of these", into: \.isNotIn),
      .term(
        "whole", .flag, "whether parts that are left out must be nil; default: false", into: \.isWhole),
    ])
}

/// A condition on the number of failures, under construction.
struct FailureCount: Sendable {
  var below: Int?
  var atLeast: Int?

  static let section = Section<FailureCount>(
    "failure count", "The number of failed attempts.",
    [
      .term("below", .integer(1...1000), "fewer failed attempts than this number", into: \.below),
      .term("atLeast", .integer(0...1000), "this number of failed attempts, or more", into: \.atLeast),
    ])
}

extension ProtectionSpacePattern {
  static let section = Section<Self>(
    "protection space", "A protection space: NSURLProtectionSpace.",
    [
      .term("host", .text, "the host; $HOST is the host of the first URL", into: \.host),
      .term("port", .port, "the port", into: \.port),
      .term("protocol", .spaceProtocol, "http, https or ftp", into: \.protocol),
      .term("realm", .text, "the exact realm; default: nil", into: \.realm),
      .term("method", .authenticationMethod, "the authentication method; default: Default", into: \.method),
      .term(
        "proxyType", .proxyType, "the kind of proxy: http, https, ftp or SOCKS; default: none",
        into: \.proxyType),
    ])
}

extension Kind {
  static var proxyType: Kind<ProtectionSpace.ProxyType> { .choice(called: "kind of proxy") }

  /// A protection space, or a pattern for protection spaces.
  static var space: Kind<ProtectionSpacePattern> {
    Kind<ProtectionSpacePattern>.section(ProtectionSpacePattern.section) { ProtectionSpacePattern() }
  }

  static var spaces: Kind<SpaceList> {
    Kind<SpaceList>(.section(SpaceList.section.name)) { reader in
      let reports = reader.sink.reports
      var list = SpaceList()
      guard reader.read(SpaceList.section, into: &list) != nil, reader.sink.reports == reports else { return nil }
      if (list.isIn == nil) == (list.isNotIn == nil) {
        reader.fail(
          "\(reader.path) needs either 'in' or 'notIn'", hint: "write { notIn: [{ host: api.example, port: 443 }] }")
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
        reader.fail("'\(text)' is a constant, not a scenario word", hint: "write \(method.rawValue)")
        return nil
      }
      return words.read(reader)
    }.named("authentication method")
  }

  static var port: Kind<UInt16> { Kind<Int>.integer(1...65_535).map { UInt16($0) } }

  static var spaceProtocol: Kind<String> { Kind<String>.choice(["http", "https", "ftp"], called: "protocol") }

  /// A result of SecTrustEvaluate, written as Apple's name without the common prefix.
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
          "\(reader.path) does not match any number of failures", hint: "write { below: 5 } or { atLeast: 1 }")
        return nil
      }
      return lower...upper
    }
  }

  /// A delegate, given by the name of a preset or as a table.
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
  /// Returns the delegate combined with its preset; nil if they contradict each other.
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
      place.fail("\(place.path) has both a preset and its own rules", hint: "keep one of them")
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
