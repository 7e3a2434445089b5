import Cryptography
import Explanation

/// The client's side of HTTP authentication for one load.
///
/// It receives the challenges of 401 or 407 and creates the values of `Authorization`.
///
/// ```
/// 401 ─▶ receive ─┬─ asks ────▶ use(credential) ─▶ authorization(for:) ─▶ the request again
///                 │             reject() ─▶ the next weaker scheme
///                 ├─ resends ─────────────────────▶ authorization(for:) ─▶ the request again
///                 └─ delivers ──▶ the app gets the 401
/// ```
public struct HTTPAuthorization: Sendable {
  /// The abilities of a client. An ability is disabled if it is not documented for the platform.
  ///
  /// For the hashes, see RFC 7616 section 3.2. The client never has a Kerberos ticket.
  public struct Abilities: Sendable, Hashable {
    /// Whether Digest may use SHA-256. In 2005, CFNetwork supported only MD5; its current abilities are not documented.
    public var supportsSHA256 = false

    /// Creates the abilities of a client. By default, it supports only MD5.
    public init(supportsSHA256: Bool = false) { self.supportsSHA256 = supportsSHA256 }
  }

  /// A request for a credential.
  public struct Question: Sendable, Hashable {
    /// The strongest usable scheme that was not rejected.
    public let scheme: HTTPAuthenticationScheme
    /// The realm of the challenge; nil for NTLM.
    public let realm: String?
    /// The number of credentials that the server has refused in this load, over all schemes.
    public let previousFailureCount: Int
    /// The last credential that the server refused.
    public let failed: UserPassword?
  }

  /// The client's next step after a 401 or 407.
  public enum Step: Sendable, Hashable {
    /// A credential is required: call `use` or `reject` next.
    case asks(Question)
    /// The client sends the request again, because a nonce was stale or NTLM continues. No attempt failed.
    case resends
    /// No scheme is usable, so the app receives the response.
    case delivers
  }

  /// The client's next step, and the findings.
  public struct Outcome: Sendable {
    /// The next step.
    public let step: Step
    /// The findings on the challenges.
    public let findings: [Finding]
  }

  /// The maximum number of consecutive stale nonces, after which the client gives up.
  static let maximumStale = 4

  /// The number of credentials that the server has refused (previousFailureCount).
  public private(set) var failures = 0
  /// The schemes that were rejected (rejectProtectionSpace). The client does not use them again.
  public private(set) var rejected: Set<HTTPAuthenticationScheme> = []
  /// The current challenge.
  public private(set) var challenge: HTTPChallenge?
  /// The credential in use.
  public private(set) var credential: UserPassword?
  private let abilities: Abilities
  private let date: Instant
  private var random: DeterministicRandom
  private var offered: [HTTPChallenge] = []
  private var count = 0
  private var staleInARow = 0
  private var ntlm = NTLMState.begun
  private var failed: UserPassword?
  private let opponent: Opponent

  /// The sender of the challenge, and the request to which it belongs.
  public enum Opponent: Sendable, Hashable {
    /// A server, or a proxy that forwards a request.
    case server, proxy
    /// A proxy from which the client requests a tunnel.
    case tunnel

    /// The message that contains the challenge.
    var response: Finding.Subject { .message(self == .tunnel ? .connectResponse : .httpResponse) }
    /// The message that contains the credentials.
    var request: Finding.Subject { .message(self == .tunnel ? .connectRequest : .httpRequest) }
    /// Returns a rule about challenges with the clause for this sender. For proxies, it is RFC 9110 section 11.7.1.
    func rule(_ rule: Rule) -> Rule { self == .server ? rule : rule.citing(.rfc(9110, "11.7.1")) }
  }

  /// The state of NTLM on this connection.
  private enum NTLMState: Sendable {
    case begun
    case negotiated
    case challenged(NTLMMessage.Challenge)
    case authenticated
  }

  /// Creates a client that has received no challenge. Random numbers come from `random`, and `date` is the time for
  /// NTLM.
  public init(
    abilities: Abilities = Abilities(), to opponent: Opponent = .server, date: Instant, random: DeterministicRandom
  ) {
    self.abilities = abilities
    self.opponent = opponent
    self.date = date
    self.random = random
  }

  /// The client at the beginning of another load, if it can send its credentials at once.
  ///
  /// It is nil if the client cannot, as with NTLM, which is bound to one connection (MS-NTHT).
  public var again: HTTPAuthorization? {
    guard credential != nil, let scheme = challenge?.scheme, scheme == .basic || scheme == .digest else { return nil }
    var other = self
    (other.failures, other.failed, other.staleInARow, other.rejected) = (0, nil, 0, [])
    return other
  }

  /// Returns whether credentials for `path` may also be sent at once for another path.
  ///
  /// Basic credentials apply to the directory of the path and below (RFC 7617 section 2.2). Digest credentials apply to
  /// the whole origin (RFC 7616 section 3.3).
  public func covers(_ other: String, learntAt path: String) -> Bool {
    guard challenge?.scheme == .basic else { return true }
    let directory = path.prefix { $0 != "?" }.lastIndex(of: "/").map { path[...$0] } ?? "/"
    return other.hasPrefix(directory)
  }

  /// Processes the `WWW-Authenticate` or `Proxy-Authenticate` fields of a 401 or 407.
  public mutating func receive(_ values: [String], _ enforcement: Enforcement = .standard) -> Outcome {
    let list = HTTPChallengeList(values)
    offered = list.challenges
    let faults = list.faults.map { fault in
      enforcement.check(
        opponent.rule(.malformedChallenge), on: opponent.response, false, found: .word(fault.description))
    }
    if credential != nil, goesOn() { return Outcome(step: .resends, findings: faults) }
    if let credential {
      failures += 1
      failed = credential
      self.credential = nil
    }
    return asking(enforcement, faults)
  }

  /// Rejects the protection space on behalf of the delegate. The client then tries the next weaker scheme.
  public mutating func reject(_ enforcement: Enforcement = .standard) -> Outcome {
    if let scheme = challenge?.scheme { rejected.insert(scheme) }
    return asking(enforcement, [])
  }

  /// Uses a credential that the delegate or another source provides.
  public mutating func use(_ credential: UserPassword) {
    self.credential = credential
    (count, staleInARow, ntlm) = (0, 0, .begun)
  }

  /// Returns the value of `Authorization` for a request; nil without a credential, or if the scheme cannot encode it.
  public mutating func authorization(method: String, uri: String) -> String? {
    guard let credential, let challenge else { return nil }
    switch challenge.scheme {
    case .basic: return BasicAuthentication.authorization(credential)
    case .digest: return digest(challenge, credential, method: method, uri: uri)
    case .ntlm: return ntlmMessage(credential).map { "NTLM " + Base64.encode($0) }
    case .negotiate, nil: return nil
    }
  }

  /// Returns the findings on sending the credential. Basic does not protect it, and cannot encode some names.
  public func findings(isSecure: Bool, _ enforcement: Enforcement = .standard) -> [Finding] {
    guard let credential, challenge?.scheme == .basic else { return [] }
    let subject = opponent.request
    let isSayable = BasicAuthentication.authorization(credential) != nil
    let sayable = enforcement.check(
      .malformedCredentials, on: subject, isSayable,
      required: .word("a user name without colons and control characters"))
    return (isSayable ? [] : [sayable])
      + [enforcement.check(.cleartextPassword, on: subject, isSecure, found: .word(isSecure ? "https" : "http"))]
  }

  /// Returns whether a stale nonce or the second message of NTLM arrived. Neither requires another credential.
  private mutating func goesOn() -> Bool {
    switch challenge?.scheme {
    case .digest:
      guard let next = usable(.digest), next["stale"]?.lowercased() == "true", next["nonce"] != challenge?["nonce"],
        staleInARow < Self.maximumStale
      else { return false }
      (challenge, count) = (next, 0)
      staleInARow += 1
      return true
    case .ntlm:
      guard case .negotiated = ntlm, let token = offered.first(where: { $0.scheme == .ntlm })?.token,
        let bytes = try? Base64.decode(token), let message = NTLMMessage.Challenge(bytes: bytes)
      else { return false }
      ntlm = .challenged(message)
      return true
    case .basic, .negotiate, nil: return false
    }
  }

  private mutating func asking(_ enforcement: Enforcement, _ findings: [Finding]) -> Outcome {
    let best = HTTPAuthenticationScheme.allCases.sorted(by: >).first { !rejected.contains($0) && usable($0) != nil }
    guard let scheme = best, let chosen = usable(scheme) else {
      challenge = nil
      // A scheme that the server rejected was usable.
      let isUsable = offered.isEmpty || offered.contains { $0.scheme.map(rejected.contains) ?? false }
      let finding = enforcement.check(
        opponent.rule(.noHTTPScheme), on: opponent.response, isUsable,
        required: .anyOf(HTTPAuthenticationScheme.allCases.filter { $0 != .negotiate }.map(\.rawValue)),
        found: .words(offered.map(\.description)))
      return Outcome(step: .delivers, findings: findings + (isUsable ? [] : [finding]))
    }
    challenge = chosen
    return Outcome(
      step: .asks(
        Question(scheme: scheme, realm: chosen.realm, previousFailureCount: failures, failed: failed)),
      findings: findings)
  }

  /// Returns the usable challenge of this scheme; nil if there is none.
  ///
  /// If there were several Basic realms, CFNetwork kept the last one. If there are several algorithms, the client uses
  /// the first one that it supports (RFC 7616 section 3.7).
  private func usable(_ scheme: HTTPAuthenticationScheme) -> HTTPChallenge? {
    let own = offered.filter { $0.scheme == scheme }
    switch scheme {
    case .basic: return own.last { $0.realm != nil }
    case .digest:
      return own.first { challenge in
        guard challenge.realm != nil, challenge["nonce"] != nil, DigestAuthentication.offersAuth(challenge) != false,
          let algorithm = DigestAuthentication.Algorithm(challenge["algorithm"])
        else { return false }
        return algorithm.hash == .md5 || abilities.supportsSHA256
      }
    case .ntlm: return own.first
    case .negotiate: return nil
    }
  }

  private mutating func digest(
    _ challenge: HTTPChallenge, _ credential: UserPassword, method: String, uri: String
  ) -> String? {
    guard let realm = challenge.realm, let nonce = challenge["nonce"],
      let algorithm = DigestAuthentication.Algorithm(challenge["algorithm"])
    else { return nil }
    var proof = DigestAuthentication.Proof(algorithm, realm: realm, nonce: nonce)
    let isCounted = DigestAuthentication.offersAuth(challenge) == true
    if isCounted || algorithm.isSession { proof.cnonce = Hex.string(random.bytes(16)) }
    if isCounted {
      count += 1
      proof.count = count
    }
    return DigestAuthentication.authorization(
      proof, credential, method: method, uri: uri, opaque: challenge["opaque"],
      namesAlgorithm: challenge["algorithm"] != nil)
  }

  /// Returns the next NTLM message; nil on a connection that is already authenticated.
  private mutating func ntlmMessage(_ credential: UserPassword) -> [UInt8]? {
    switch ntlm {
    case .begun:
      ntlm = .negotiated
      return NTLMMessage.Negotiate().bytes
    case .challenged(let message):
      ntlm = .authenticated
      return authenticate(message, credential).bytes
    case .negotiated, .authenticated: return nil
    }
  }

  private mutating func authenticate(
    _ message: NTLMMessage.Challenge, _ credential: UserPassword
  ) -> NTLMMessage.Authenticate {
    let parts = credential.user.split(separator: "\\", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let (domain, user) = parts.count == 2 ? (parts[0], parts[1]) : ("", credential.user)
    let key = NTLMv2(user: user, domain: domain, password: credential.password)
    let clientChallenge = random.bytes(8)
    let given = NTLMv2.timestamp(in: message.targetInfo)
    let temp = NTLMv2.temp(
      fileTime: given ?? NTLMv2.fileTime(date), clientChallenge: clientChallenge, targetInfo: message.targetInfo)
    // MS-NLMP section 3.1.5.1.2: if the server sends a timestamp, the client sends no LM response.
    let lm =
      given == nil
      ? key.lmResponse(serverChallenge: message.serverChallenge, clientChallenge: clientChallenge)
      : [UInt8](repeating: 0, count: 24)
    return NTLMMessage.Authenticate(
      flags: message.flags.intersection(.client), lmResponse: lm,
      ntResponse: key.ntResponse(serverChallenge: message.serverChallenge, temp: temp), domain: domain, user: user)
  }
}
