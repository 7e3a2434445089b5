import Explanation
import PKIX
import Rendering
import Trust

/// What `verify` holds a chain against: its options, or the members of a request.
struct VerifySettings {
  /// Roots that came with the system, that the user trusts, and that the app trusts.
  var roots: [Certificate] = []
  var userRoots: [Certificate] = []
  var appRoots: [Certificate] = []
  /// The host that was asked for; nil leaves names unchecked.
  var host: String?
  var purpose = TrustPolicy.Purpose.server
  /// The date of evaluation; nil is now.
  var date: Instant?
  var profile = TrustProfile.apple
  /// The system of the profile apple; nil is iOS 18.4.
  var os: OSVersion?
  /// Revocation lists, which must tell about the leaf; about authorities they may.
  var lists: [CertificateRevocationList] = []
  /// Policies of which one must be valid on the path; none is any.
  var policies: Set<OID> = []

  /// The question that these settings ask about `chain`.
  func question(about chain: [Certificate]) -> VerifyView.Question {
    var policy = TrustPolicy(
      profile: profile, os: profile == .apple ? os ?? OSVersion(.iOS, 18, 4) : nil, purpose: purpose,
      date: date ?? Clock.now, store: TrustStore(system: roots, user: userRoots, app: appRoots),
      revocation: revocation, names: .distinct(chain + roots + userRoots + appRoots))
    if !policies.isEmpty {
      policy.inputs.initialPolicies = policies
      policy.inputs.requiresExplicitPolicy = true
    }
    return VerifyView.Question(chain: chain, host: host, policy: policy, isNow: date == nil)
  }

  private var revocation: RevocationPolicy {
    guard !lists.isEmpty else { return .none }
    var revocation = RevocationPolicy(.hardFail)
    revocation.modeForAuthorities = .softFail
    revocation.lists = lists
    return revocation
  }
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
      throw Complaint(
        message: "'\(text)' is not a host",
        hint: "write a name or an address alone: api.example, 192.0.2.1, 2001:db8::1")
    }
    return text
  }

  /// A date in UTC.
  static func date(_ text: String) throws -> Instant {
    guard let date = Instant(text) else {
      throw Complaint(message: "'\(text)' is not a date", hint: "write 2026-01-31 or 2026-01-31T12:00:00Z, in UTC")
    }
    return date
  }

  /// Policies by their object identifiers.
  static func policies(_ texts: [String]) throws -> Set<OID> {
    Set(
      try texts.map { text in
        guard let oid = OID(text) else {
          throw Complaint(message: "'\(text)' is no policy", hint: "write an object identifier: 2.23.140.1.2.1")
        }
        return oid
      })
  }

  /// One of the values of an enumeration by its name.
  static func named<Word: RawRepresentable<String> & CaseIterable>(_ text: String, _ what: String) throws -> Word {
    guard let word = Word(rawValue: text) else {
      throw Complaint(
        message: "unknown \(what) '\(text)'", hint: Spelling.hint(for: text, among: Word.allCases.map(\.rawValue)))
    }
    return word
  }
}
