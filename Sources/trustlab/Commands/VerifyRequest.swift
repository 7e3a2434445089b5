import Cryptography
import Explanation
import PKIX
import Rendering
import Scenarios
import Trust
import URLLoading

/// A request of `verify --ndjson`: `{"chain": ["…"], "roots": ["…"] or "rootsFile": "…", "host": "…", "at": "…",
/// "profile": "…"}` and what the other options say; certificates and lists are PEM, or DER in base 64.
struct VerifyRequest {
  private let chain: [Certificate]
  private let settings: VerifySettings

  /// The members that are read; `id` is read by the stream.
  private static let names = [
    "chain", "roots", "rootsFile", "userRoots", "appRoots", "host", "purpose", "at", "profile", "os", "crl", "policy",
    "ocsp", "revocation", "sct", "id",
  ]

  /// Reads a request; what it leaves out is as `usual` has it.
  ///
  /// - Throws: `Diagnostics` or `Diagnostics` about the first member that is wrong.
  init(_ json: JSONValue, usual: VerifySettings, files: RootFiles) throws {
    let members = try RequestMembers(json, named: Self.names)
    guard let chain = try Self.certificates(members, "chain") else {
      throw Diagnostics("'chain' is missing", hint: #"write {"chain": ["MII…"]}, the server's own first"#)
    }
    var settings = usual
    if let roots = try Self.roots(members, files) { settings.roots = roots }
    if let roots = try Self.certificates(members, "userRoots") { settings.userRoots = roots }
    if let roots = try Self.certificates(members, "appRoots") { settings.appRoots = roots }
    if let host = try members.text("host") { settings.host = try VerifySettings.host(host) }
    if let purpose = try members.text("purpose") { settings.purpose = try VerifySettings.named(purpose, "purpose") }
    if let date = try members.text("at") { settings.date = try VerifySettings.date(date) }
    if let policies = try members.texts("policy") { settings.policies = try VerifySettings.policies(policies) }
    if let lists = try members.texts("crl") { settings.lists = try Self.lists(lists) }
    if let answers = try members.texts("ocsp") { settings.answers = try Self.answers(answers) }
    if let mode = try members.text("revocation") { settings.revocation = try VerifySettings.named(mode, "revocation") }
    if let timestamps = try members.texts("sct") { settings.timestamps = try Self.timestamps(timestamps) }
    if let profile = try members.text("profile") { settings.profile = try VerifySettings.named(profile, "profile") }
    if let os = try members.text("os") {
      settings.os = try .named(os)
      try settings.checkSystem("'os'")
    }
    (self.chain, self.settings) = (chain, settings)
  }

  var answer: [JSONValue.Member] { VerifyView(settings.question(about: chain)).members }

  private static func roots(_ members: RequestMembers, _ files: RootFiles) throws -> [Certificate]? {
    let roots = try certificates(members, "roots")
    guard let path = try members.text("rootsFile") else { return roots }
    guard roots == nil else {
      throw Diagnostics("there are 'roots' and a 'rootsFile'", hint: "leave one of them out")
    }
    return try files.certificates(in: path)
  }

  private static func certificates(_ members: RequestMembers, _ name: String) throws -> [Certificate]? {
    try members.texts(name)?.enumerated().flatMap { index, text in
      do throws(Certificate.FileError) {
        return try Certificate.certificates(inPEMOrDER: bytes(text))
      } catch {
        throw Diagnostics("'\(name)' \(index + 1): \(error)", hint: error.remedy)
      }
    }
  }

  private static func lists(_ texts: [String]) throws -> [CertificateRevocationList] {
    try texts.enumerated().flatMap { index, text in
      do throws(Certificate.FileError) {
        return try CertificateRevocationList.lists(inPEMOrDER: bytes(text))
      } catch {
        throw Diagnostics("'crl' \(index + 1): \(error)", hint: error.remedy)
      }
    }
  }

  private static func answers(_ texts: [String]) throws -> [OCSPResponse] {
    try texts.enumerated().map { index, text in
      do { return try OCSPResponse(der: Base64.decode(text)) } catch {
        throw Diagnostics("'ocsp' \(index + 1): \(error)", hint: "write an OCSPResponse in DER as base 64")
      }
    }
  }

  private static func timestamps(_ texts: [String]) throws -> [[UInt8]] {
    try texts.enumerated().map { index, text in
      do throws(PEMError) { return try Base64.decode(text) } catch {
        throw Diagnostics("'sct' \(index + 1): \(error)", hint: "write a SignedCertificateTimestamp as base 64")
      }
    }
  }

  /// PEM as it is; anything else is base 64.
  private static func bytes(_ text: String) throws(Certificate.FileError) -> [UInt8] {
    if text.contains("-----BEGIN ") { return Array(text.utf8) }
    do throws(PEMError) { return try Base64.decode(text) } catch { throw .pem(error) }
  }
}

/// Files of roots that requests name, each read once; the few that were read first are kept.
final class RootFiles {
  private static let limit = 16
  private var files: [String: [Certificate]] = [:]

  /// The certificates in the file at `path`.
  ///
  /// - Throws: `Diagnostics` or `Diagnostics` when there are none to be had.
  func certificates(in path: String) throws -> [Certificate] {
    if let known = files[path] { return known }
    guard path != "-" else {
      throw Diagnostics("'rootsFile' is standard input", hint: "requests are read there: name a file")
    }
    let certificates = try CertificateFiles.certificates(in: [path])
    if files.count < Self.limit { files[path] = certificates }
    return certificates
  }
}

extension VerifySettings {
  /// A system has its own rules, and no other profile takes any from it.
  func checkSystem(_ name: String) throws {
    guard os == nil || profile == .apple else {
      throw Diagnostics(
        "\(name) belongs to the profile apple, not to \(profile.rawValue)",
        hint: "leave one of system and profile out")
    }
  }
}

/// What `verify` holds a chain against: its options, or the members of a request.
struct VerifySettings {
  /// Roots that came with the system, that the user trusts, and that the app trusts.
  var roots: [Certificate] = []
  var userRoots: [Certificate] = []
  var appRoots: [Certificate] = []
  /// The host that was asked for; nil leaves names unchecked.
  var host: String?
  var purpose = TrustRequirements.Purpose.server
  /// The date of evaluation; nil is now.
  var date: Instant?
  var profile = TrustProfile.apple
  /// The system of the profile apple; nil is iOS 18.4.
  var os: OSVersion?
  /// Revocation lists, which must tell about the leaf; about authorities they may.
  var lists: [CertificateRevocationList] = []
  /// Answers of responders.
  var answers: [OCSPResponse] = []
  /// What is done without a revocation status; nil asks where there are lists or answers.
  var revocation: RevocationMode?
  /// Timestamps that came beside the certificate.
  var timestamps: [[UInt8]] = []
  /// The logs that are known; nil leaves timestamps uncounted.
  var logs: LogList?
  /// Policies of which one must be valid on the path; none is any.
  var policies: Set<OID> = []
  /// RFC 5280 section 6.1.1 (e), (f), (g).
  var inhibitsPolicyMapping = false
  var requiresExplicitPolicy = false
  var inhibitsAnyPolicy = false
  /// What the app's property list says; nil where none was named.
  var app: AppTransportSecurity.Configuration?
  /// The certificates of the chain that cannot be read: where each is, and why.
  var unreadable: [String] = []
  /// The historical bug of whoever evaluates; nil for none.
  var mutant: Mutant?

  /// The question that these settings ask about `chain`.
  func question(about chain: [Certificate]) -> VerifyView.Question {
    var requirements = requirements
    let names = CertificateNames.distinct(chain + roots + userRoots + appRoots)
    var decision: AppTransportSecurity.Decision?
    if let app, let host, let url = try? LoadURL("https://\(host.contains(":") ? "[\(host)]" : host)/") {
      let ats = AppTransportSecurity.decide(.init(url, os: requirements.os ?? .documentation), by: app)
      requirements.pins += pins(of: ats)
      decision = ats
    }
    let evaluator = TrustEvaluator(
      requirements, evidence: evidence, diagnostics: TrustDiagnostics(names: names))
    var question = VerifyView.Question(
      chain: chain, host: host, evaluator: evaluator.having(mutant), isNow: date == nil)
    question.ats = decision
    return question
  }

  private var requirements: TrustRequirements {
    var requirements = TrustRequirements(
      profile: profile, os: profile == .apple ? os ?? OSVersion(.iOS, 18, 4) : nil, purpose: purpose,
      date: date ?? Clock.now, store: TrustStore(system: roots, user: userRoots, app: appRoots),
      revocation: revocationPolicy)
    if !policies.isEmpty { requirements.inputs.initialPolicies = policies }
    requirements.inputs.requiresExplicitPolicy = requiresExplicitPolicy || !policies.isEmpty
    requirements.inputs.inhibitsPolicyMapping = inhibitsPolicyMapping
    requirements.inputs.inhibitsAnyPolicy = inhibitsAnyPolicy
    return requirements
  }

  private var evidence: TrustEvidence {
    var evidence = TrustEvidence()
    evidence.unreadable = unreadable
    (evidence.revocation.lists, evidence.revocation.answers) = (lists, answers)
    (evidence.presentedTimestamps, evidence.logs) = (timestamps, logs)
    evidence.publicSuffixes = SystemFiles.publicSuffixes
    return evidence
  }

  /// Where nobody says otherwise, lists and answers must tell about the leaf, and may about authorities. An app on Apple's
  /// systems that requires an answer (kSecRevocationRequirePositiveResponse) requires it about the leaf alone.
  private var revocationPolicy: RevocationPolicy {
    var policy: RevocationPolicy
    switch revocation {
    case RevocationMode.none?: policy = .none
    case .softFail?: policy = RevocationPolicy(.softFail)
    case .hardFail?: policy = RevocationPolicy(.hardFail)
    case .apple?: policy = .apple
    case nil:
      guard !lists.isEmpty || !answers.isEmpty else { return .none }
      policy = RevocationPolicy(.hardFail)
      policy.modeForAuthorities = .softFail
    }
    if profile == .apple {
      policy.limits = RevocationPolicy.apple.limits
      if policy.mode == .hardFail { policy.modeForAuthorities = .softFail }
    }
    return policy
  }
}

/// What `--revocation` asks for.
enum RevocationMode: String, Sendable, CaseIterable {
  /// Nobody asks.
  case none
  /// Who gets no status goes on.
  case softFail = "soft-fail"
  /// Who gets no status about a certificate below the root refuses; in the profile apple, about the server's.
  case hardFail = "hard-fail"
  /// As Apple's systems do with what is stapled or kept.
  case apple
}

/// What a user writes, read.
extension VerifySettings {
  /// The host as it is written; a URL or a port beside the name is the usual slip.
  static func host(_ text: String) throws -> String {
    let isHost =
      switch RequestedHost(text) {
      case .address: true
      case .name(let name): !name.contains { "/:@?#".contains($0) }
      case .invalid: false
      }
    guard isHost else {
      throw Diagnostics(
        "'\(text)' is not a host",
        hint: "write a name or an address alone: api.example, 192.0.2.1, 2001:db8::1")
    }
    return text
  }

  /// A date in UTC.
  static func date(_ text: String) throws -> Instant {
    guard let date = Instant(text) else {
      throw Diagnostics("'\(text)' is not a date", hint: "write 2026-01-31 or 2026-01-31T12:00:00Z, in UTC")
    }
    return date
  }

  /// Policies by their object identifiers.
  static func policies(_ texts: [String]) throws -> Set<OID> {
    Set(
      try texts.map { text in
        guard let oid = OID(text) else {
          throw Diagnostics("'\(text)' is no policy", hint: "write an object identifier: 2.23.140.1.2.1")
        }
        return oid
      })
  }

  /// One of the values of an enumeration by its name.
  static func named<Word: RawRepresentable<String> & CaseIterable>(_ text: String, _ what: String) throws -> Word {
    guard let word = Word(rawValue: text) else {
      throw Diagnostics(
        "unknown \(what) '\(text)'", hint: Spelling.hint(for: text, among: Word.allCases.map(\.rawValue)))
    }
    return word
  }
}

extension VerifySettings {
  /// An app's pins.
  private func pins(of decision: AppTransportSecurity.Decision) -> [PublicKeyPins] {
    let required = decision.lacksRequiredPins ? [PublicKeyPins([])] : []
    guard let identities = decision.pinnedIdentities else { return required }
    // What is no hash matches no key, and is named all the same.
    func pins(_ hashes: [[UInt8]], _ unusable: [String], _ place: PublicKeyPins.Place) -> PublicKeyPins {
      PublicKeyPins(
        hashes.map { PublicKeyPins.Pin(name: "sha256/\(Base64.encode($0))", fingerprint: $0) }
          + unusable.map { PublicKeyPins.Pin(name: "\"\($0)\"", fingerprint: []) }, at: place)
    }
    return required
      + [
        identities.leaf.map { pins($0, identities.unusableLeaf, .leaf) },
        identities.authorities.map { pins($0, identities.unusableAuthorities, .authorities) },
      ].compactMap(\.self)
  }
}
