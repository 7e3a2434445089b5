import Cryptography
import Explanation

/// A client's part of HTTP authentication for one load: what 401 or 407 asks for goes in, what goes into `Authorization`
/// comes out.
///
/// ```
/// 401 ─▶ receive ─┬─ asks ────▶ use(credential) ─▶ authorization(for:) ─▶ the request again
///                 │             reject() ─▶ the next weaker scheme
///                 ├─ resends ─────────────────────▶ authorization(for:) ─▶ the request again
///                 └─ delivers ──▶ the app gets the 401
/// ```
public struct HTTPAuthorization: Sendable {
  /// What a client can do. What is off is not known of the platform (`reference` of the switches: RFC 7616 section 3.2 for
  /// the hashes; a ticket of Kerberos is never there).
  public struct Abilities: Sendable, Hashable {
    /// Whether Digest may use SHA-256. CFNetwork of 2005 knew MD5 alone; of today nothing is known.
    public var supportsSHA256 = false

    /// MD5 alone.
    public init(supportsSHA256: Bool = false) { self.supportsSHA256 = supportsSHA256 }
  }

  /// A credential that is wanted.
  public struct Question: Sendable, Hashable {
    /// The strongest scheme that can be used and was not rejected.
    public let scheme: HTTPAuthenticationScheme
    /// The realm of its challenge; nil for NTLM.
    public let realm: String?
    /// How many credentials the server has refused in this load, over all schemes.
    public let previousFailureCount: Int
    /// The credential that it refused last.
    public let failed: UserPassword?
  }

  /// What is to be done about a 401 or 407.
  public enum Step: Sendable, Hashable {
    /// Somebody has to say who the client is: `use` or `reject` goes on.
    case asks(Question)
    /// The request is sent again: a nonce was stale, or NTLM goes on. Nobody is asked, and nothing failed.
    case resends
    /// Nothing can be used: the response is the app's.
    case delivers
  }

  /// What is to be done, and what was found.
  public struct Outcome: Sendable {
    /// What is to be done.
    public let step: Step
    /// What was found on the challenges.
    public let findings: [Finding]
  }

  /// The most nonces in a row that a server may call stale: none stands after so many.
  static let maximumStale = 4

  /// How many credentials the server has refused: previousFailureCount.
  public private(set) var failures = 0
  /// The schemes that were rejected (rejectProtectionSpace), which are not asked for again.
  public private(set) var rejected: Set<HTTPAuthenticationScheme> = []
  /// The challenge that is being answered.
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

  /// Who asks, in answer to what.
  public enum Opponent: Sendable, Hashable {
    /// A server, or a proxy that passes a request on.
    case server, proxy
    /// A proxy that is asked for a tunnel.
    case tunnel

    /// What a challenge comes with.
    var response: Finding.Subject { .message(self == .tunnel ? .connectResponse : .httpResponse) }
    /// What credentials travel with.
    var request: Finding.Subject { .message(self == .tunnel ? .connectRequest : .httpRequest) }
    /// A rule about challenges, as it is for whoever asks: RFC 9110 section 11.7.1 for proxies.
    func rule(_ rule: Rule) -> Rule { self == .server ? rule : rule.citing(.rfc(9110, "11.7.1")) }
  }

  /// How far NTLM has come on this connection.
  private enum NTLMState: Sendable {
    case begun
    case negotiated
    case challenged(NTLMMessage.Challenge)
    case authenticated
  }

  /// A client that has not been asked; random numbers come from `random`, the time of NTLM is `date`.
  public init(
    abilities: Abilities = Abilities(), to opponent: Opponent = .server, date: Instant, random: DeterministicRandom
  ) {
    self.abilities = abilities
    self.opponent = opponent
    self.date = date
    self.random = random
  }

  /// The same client at the begin of another load, which says at once what this one has learnt; nil where nothing can be said
  /// again: NTLM is bound to its connection (MS-NTHT).
  public var again: HTTPAuthorization? {
    guard credential != nil, let scheme = challenge?.scheme, scheme == .basic || scheme == .digest else { return nil }
    var other = self
    (other.failures, other.failed, other.staleInARow, other.rejected) = (0, nil, 0, [])
    return other
  }

  /// Whether what was learnt at `path` may be said at once at another: Basic for whatever is in the same directory or below
  /// (RFC 7617 section 2.2), Digest for the whole origin (RFC 7616 section 3.3).
  public func covers(_ other: String, learntAt path: String) -> Bool {
    guard challenge?.scheme == .basic else { return true }
    let directory = path.prefix { $0 != "?" }.lastIndex(of: "/").map { path[...$0] } ?? "/"
    return other.hasPrefix(directory)
  }

  /// A 401 or 407 has come with these values of its `WWW-Authenticate` or `Proxy-Authenticate` fields.
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

  /// The delegate rejects the protection space: the next weaker scheme is asked for.
  public mutating func reject(_ enforcement: Enforcement = .standard) -> Outcome {
    if let scheme = challenge?.scheme { rejected.insert(scheme) }
    return asking(enforcement, [])
  }

  /// The delegate, or whoever is asked, says who the client is.
  public mutating func use(_ credential: UserPassword) {
    self.credential = credential
    (count, staleInARow, ntlm) = (0, 0, .begun)
  }

  /// The value of `Authorization` for a request; nil where there is nothing to say, or nothing that the scheme can say.
  public mutating func authorization(method: String, uri: String) -> String? {
    guard let credential, let challenge else { return nil }
    switch challenge.scheme {
    case .basic: return BasicAuthentication.authorization(credential)
    case .digest: return digest(challenge, credential, method: method, uri: uri)
    case .ntlm: return ntlmMessage(credential).map { "NTLM " + Base64.encode($0) }
    case .negotiate, nil: return nil
    }
  }

  /// What is found on the way in which the credential travels: Basic hides nothing, and some names it cannot say.
  public func findings(isSecure: Bool, _ enforcement: Enforcement = .standard) -> [Finding] {
    guard let credential, challenge?.scheme == .basic else { return [] }
    let subject = opponent.request
    let isSayable = BasicAuthentication.authorization(credential) != nil
    let sayable = enforcement.check(
      .malformedCredentials, on: subject, isSayable, required: .word("a name without colon and control characters"))
    return (isSayable ? [] : [sayable])
      + [enforcement.check(.cleartextPassword, on: subject, isSecure, found: .word(isSecure ? "https" : "http"))]
  }

  /// A stale nonce, or the second message of NTLM: no answer to who the client is.
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
      // What was rejected could have been used.
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

  /// The challenge of this scheme that can be answered; nil where there is none. Of several realms of Basic CFNetwork kept
  /// the last one; of several algorithms the client takes the first it supports (RFC 7616 section 3.7).
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

  /// The next message; nil on a connection that knows who the client is.
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
    // MS-NLMP section 3.1.5.1.2: beside a server's timestamp nothing of LM is sent.
    let lm =
      given == nil
      ? key.lmResponse(serverChallenge: message.serverChallenge, clientChallenge: clientChallenge)
      : [UInt8](repeating: 0, count: 24)
    return NTLMMessage.Authenticate(
      flags: message.flags.intersection(.client), lmResponse: lm,
      ntResponse: key.ntResponse(serverChallenge: message.serverChallenge, temp: temp), domain: domain, user: user)
  }
}
