import Cryptography
import Explanation
import PKIX
import Rendering
import Scenarios
import Trust
import URLLoading

/// A request of `verify --ndjson`. Its members correspond to the command's options.
///
/// Certificates and CRLs are PEM, or DER in base64.
struct VerifyRequest {
  private let chain: [Certificate]
  private let settings: VerifySettings

  /// The names of all members of a request. The stream itself reads `id`.
  private static let names = [
    "chain", "roots", "rootsFile", "userRoots", "appRoots", "host", "purpose", "at", "profile", "os", "crl", "policy",
    "ocsp", "revocation", "sct", "id",
  ]

  /// Reads a request. Members that the request omits have the values of `usual`. Without `files`, it cannot name a file.
  ///
  /// - Throws: `Diagnostics` about the first invalid member.
  init(_ json: JSONValue, usual: VerifySettings, files: RootFiles?) throws {
    let members = try RequestMembers(json, named: Self.names)
    guard let chain = try Self.certificates(members, "chain") else {
      throw Diagnostics("'chain' is missing", hint: #"write {"chain": ["MII…"]}, the server's certificate first"#)
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
      try settings.checkSystem("'os'", "'profile'")
    }
    (self.chain, self.settings) = (chain, settings)
  }

  var answer: [JSONValue.Member] { VerifyView(settings.question(about: chain)).members }

  private static func roots(_ members: RequestMembers, _ files: RootFiles?) throws -> [Certificate]? {
    let roots = try certificates(members, "roots")
    guard let path = try members.text("rootsFile") else { return roots }
    guard let files else {
      throw Diagnostics("'rootsFile' is not allowed here", hint: "write the certificates in 'roots'")
    }
    guard roots == nil else {
      throw Diagnostics("'roots' and 'rootsFile' cannot be used together", hint: "remove one of the two members")
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
        return try CertificateRevocationList.crls(inPEMOrDER: bytes(text))
      } catch {
        throw Diagnostics("'crl' \(index + 1): \(error)", hint: error.remedy)
      }
    }
  }

  private static func answers(_ texts: [String]) throws -> [OCSPResponse] {
    try texts.enumerated().map { index, text in
      do { return try OCSPResponse(der: Base64.decode(text)) } catch {
        throw Diagnostics("'ocsp' \(index + 1): \(error)", hint: "write a DER OCSPResponse in base64")
      }
    }
  }

  private static func timestamps(_ texts: [String]) throws -> [[UInt8]] {
    try texts.enumerated().map { index, text in
      do throws(PEMError) { return try Base64.decode(text) } catch {
        throw Diagnostics("'sct' \(index + 1): \(error)", hint: "write a SignedCertificateTimestamp in base64")
      }
    }
  }

  /// Returns PEM text unchanged, and decodes any other text as Base64.
  private static func bytes(_ text: String) throws(Certificate.FileError) -> [UInt8] {
    if text.contains("-----BEGIN ") { return Array(text.utf8) }
    do throws(PEMError) { return try Base64.decode(text) } catch { throw .pem(error) }
  }
}

/// A cache of the root files that requests name. The first few are kept, so that each is read only once.
final class RootFiles {
  private static let limit = 16
  private var files: [String: [Certificate]] = [:]

  /// Returns the certificates in the file at `path`.
  ///
  /// - Throws: `Diagnostics` if the file has no readable certificate.
  func certificates(in path: String) throws -> [Certificate] {
    if let known = files[path] { return known }
    guard path != "-" else {
      throw Diagnostics("'rootsFile' cannot be standard input, which contains the requests", hint: "pass a file")
    }
    let certificates = try CertificateFiles.certificates(in: [path])
    if files.count < Self.limit { files[path] = certificates }
    return certificates
  }
}

extension VerifySettings {
  /// Checks that a system is used only with the profile apple, because other profiles have no system-specific rules.
  func checkSystem(_ name: String, _ profileName: String) throws {
    guard os == nil || profile == .apple else {
      throw Diagnostics(
        "\(name) requires the profile apple; \(profile.rawValue) does not depend on a system",
        hint: "remove \(name) or \(profileName)")
    }
  }
}

/// The settings for evaluating a chain, from the options of the command or the members of a request.
struct VerifySettings {
  /// The roots that the system includes, that the user trusts, and that the app trusts.
  var roots: [Certificate] = []
  var userRoots: [Certificate] = []
  var appRoots: [Certificate] = []
  /// The host that the client connects to; nil disables the name check.
  var host: String?
  var purpose = TrustRequirements.Purpose.server
  /// The evaluation date; nil means the current time.
  var date: Instant?
  var profile = TrustProfile.apple
  /// The operating system for the profile apple; nil means iOS 18.4.
  var os: OSVersion?
  /// The CRLs for the revocation check. They must cover the leaf certificate, and may cover CA certificates.
  var lists: [CertificateRevocationList] = []
  /// The OCSP responses for the revocation check.
  var answers: [OCSPResponse] = []
  /// The treatment of a missing revocation status. Nil checks revocation only if there are CRLs or OCSP responses.
  var revocation: RevocationMode?
  /// The SCTs that are delivered outside the certificate.
  var timestamps: [[UInt8]] = []
  /// The known CT logs; nil disables the CT check.
  var logs: LogList?
  /// The accepted certificate policies. At least one must be valid on the path; empty means any policy.
  var policies: Set<OID> = []
  /// The inputs (e), (f) and (g) of the path validation algorithm, in this order (RFC 5280 section 6.1.1).
  var inhibitsPolicyMapping = false
  var requiresExplicitPolicy = false
  var inhibitsAnyPolicy = false
  /// The settings in the app's property list; nil without `--plist`.
  var app: AppTransportSecurity.Configuration?
  /// The place and the error of each unreadable certificate in the chain.
  var unreadable: [String] = []
  /// The historical bug of the evaluator; nil for none.
  var mutant: Mutant?

  /// Returns the evaluation of `chain` with these settings.
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
    (evidence.presentedSCTs, evidence.logs) = (timestamps, logs)
    evidence.publicSuffixes = SystemFiles.publicSuffixes
    return evidence
  }

  /// The policy for revocation. By default, CRLs and OCSP responses must cover the leaf certificate, and may cover CA
  /// certificates.
  ///
  /// Apple's `kSecRevocationRequirePositiveResponse` applies to the leaf certificate only.
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
      policy.modeForCAs = .softFail
    }
    if profile == .apple {
      policy.limits = RevocationPolicy.apple.limits
      if policy.mode == .hardFail { policy.modeForCAs = .softFail }
    }
    return policy
  }
}

/// The value of `--revocation`.
enum RevocationMode: String, Sendable, CaseIterable {
  /// The client does not check revocation.
  case none
  /// The client accepts a certificate without a revocation status.
  case softFail = "soft-fail"
  /// The client refuses a certificate below the root without a revocation status. The profile apple applies this to the
  /// leaf only.
  case hardFail = "hard-fail"
  /// The client uses stapled and cached revocation data, which is Apple's default.
  case apple
}

/// Parses user input for the settings.
extension VerifySettings {
  /// Returns a host unchanged. Throws an error for common mistakes, such as a URL or a port.
  static func host(_ text: String) throws -> String {
    let isHost =
      switch RequestedHost(text) {
      case .address: true
      case .name(let name): !name.contains { "/:@?#".contains($0) }
      case .invalid: false
      }
    guard isHost else {
      throw Diagnostics(
        "'\(text)' is neither a host name nor an IP address",
        hint: "write only a name or an address: api.example, 192.0.2.1, 2001:db8::1")
    }
    return text
  }

  /// Parses a date in UTC.
  static func date(_ text: String) throws -> Instant {
    guard let date = Instant(text) else {
      throw Diagnostics("'\(text)' is not a date", hint: "write 2026-01-31 or 2026-01-31T12:00:00Z, in UTC")
    }
    return date
  }

  /// Parses policies from their object identifiers.
  static func policies(_ texts: [String]) throws -> Set<OID> {
    Set(
      try texts.map { text in
        guard let oid = OID(text) else {
          throw Diagnostics("'\(text)' is not a certificate policy", hint: "write an object identifier: 2.23.140.1.2.1")
        }
        return oid
      })
  }

  /// Returns the enumeration value with this name, or throws an error.
  static func named<Word: RawRepresentable<String> & CaseIterable>(_ text: String, _ what: String) throws -> Word {
    guard let word = Word(rawValue: text) else {
      throw Diagnostics(
        "unknown \(what) '\(text)'", hint: Spelling.hint(for: text, among: Word.allCases.map(\.rawValue)))
    }
    return word
  }
}

extension VerifySettings {
  /// Returns the public keys that the app pins.
  private func pins(of decision: AppTransportSecurity.Decision) -> [PublicKeyPins] {
    let required = decision.lacksRequiredPins ? [PublicKeyPins([])] : []
    guard let identities = decision.pinnedIdentities else { return required }
    // A value that is not a hash matches no key, but the report names it.
    func pins(_ hashes: [[UInt8]], _ unusable: [String], _ place: PublicKeyPins.Place) -> PublicKeyPins {
      PublicKeyPins(
        hashes.map { PublicKeyPins.Pin(name: "sha256/\(Base64.encode($0))", fingerprint: $0) }
          + unusable.map { PublicKeyPins.Pin(name: "\"\($0)\"", fingerprint: []) }, at: place)
    }
    return required
      + [
        identities.leaf.map { pins($0, identities.unusableLeaf, .leaf) },
        identities.authorities.map { pins($0, identities.unusableCAs, .authorities) },
      ].compactMap(\.self)
  }
}
