import Cryptography
import Explanation

/// The server's side of HTTP authentication, with its users, challenges and counters.
///
/// One value serves all connections, one after the other.
public struct HTTPAuthenticator: Sendable {
  /// The users of the server, and the properties of its challenges.
  public struct Policy: Sendable, Hashable {
    /// The schemes that the server offers, in the order of its header fields.
    public var schemes: [HTTPAuthenticationScheme]
    /// The realm of the protection space, as stated in the header fields.
    public var realm: String
    /// The passwords by user name.
    public var users: [String: String]
    /// The number of wrong passwords that lock an account; nil if accounts are never locked.
    public var lockAfter: Int?
    /// The Digest algorithms, best first. Each has its own challenge.
    public var algorithms: [DigestAuthentication.Algorithm]
    /// Whether Digest challenges have `qop="auth"`. The form of RFC 2069 does not have it.
    public var countsRequests: Bool
    /// The nonces that the server reports as stale.
    public var staleness: Staleness
    /// Whether the server is a proxy, which sends 407 instead of 401.
    public var isProxy = false
    /// The body of the response to an unauthorized request.
    public var body = "unauthorized"

    /// Creates a policy with the Basic scheme and no users.
    public init(
      schemes: [HTTPAuthenticationScheme] = [.basic], realm: String = "", users: [String: String] = [:],
      lockAfter: Int? = nil, algorithms: [DigestAuthentication.Algorithm] = [], countsRequests: Bool = true,
      staleness: Staleness = .never
    ) {
      self.schemes = schemes
      self.realm = realm
      self.users = users
      self.lockAfter = lockAfter
      self.algorithms = algorithms.isEmpty ? [DigestAuthentication.Algorithm(nil)].compactMap(\.self) : algorithms
      self.countsRequests = countsRequests
      self.staleness = staleness
    }
  }

  /// The choice of the server's own nonces that it reports as stale.
  public enum Staleness: String, Sendable, Hashable, CaseIterable {
    /// No nonce.
    case never
    /// The first nonce that a client uses.
    case once
  }

  /// A server's decision on a request.
  public struct Judgement: Sendable {
    /// The response to a request.
    public enum Answer: Sendable, Hashable {
      /// The server carries out the request, which comes from this user.
      case allowed(user: String)
      /// The response is 401 with these `WWW-Authenticate` fields. For a proxy, it is 407 with `Proxy-Authenticate`
      /// fields.
      case unauthorized([String])
      /// The response is 403, because the account is locked and no password is accepted.
      case forbidden(user: String)
    }

    /// The response.
    public let answer: Answer
    /// The reasons for the decision. A violation that the client can still correct is advice; a locked account decides.
    public let findings: [Finding]
  }

  /// The users of the server, and the properties of its challenges.
  public let policy: Policy
  /// The number of wrong passwords since the last correct one, by user name.
  public private(set) var failures: [String: Int] = [:]
  /// The number of requests whose credentials were checked. Each is one attempt.
  public private(set) var attempts = 0
  private var random: DeterministicRandom
  /// The server's nonces, with the highest request count of each.
  private var nonces: [String: Int] = [:]
  private var hasBeenStale = false
  /// The name in findings of the message under evaluation.
  private var subject = Finding.Subject.message(.httpRequest)
  private var ntlmChallenge: [UInt8]?
  private var ntlmUser: String?

  /// Creates a server that has received no requests. Its nonces come from `random`.
  public init(_ policy: Policy, random: DeterministicRandom) {
    self.policy = policy
    self.random = random
  }

  /// The accounts that are locked.
  public var locked: [String] { policy.users.keys.filter(isLocked).sorted() }

  /// The rule that a request without accepted credentials violates.
  private var rule: Rule { policy.isProxy ? .proxyUnauthorized : .unauthorized }

  /// Begins another connection, on which no user is authenticated by NTLM yet.
  public mutating func beginConnection() { (ntlmChallenge, ntlmUser) = (nil, nil) }

  /// Evaluates a request by the value of its `Authorization` field; nil if the request has none.
  public mutating func judge(
    method: String, uri: String, authorization: String?, _ enforcement: Enforcement = .standard
  ) -> Judgement {
    subject = .message(method == "CONNECT" ? .connectRequest : .httpRequest)
    if let ntlmUser, authorization == nil { return Judgement(answer: .allowed(user: ntlmUser), findings: []) }
    guard let authorization else {
      return refused([advice(rule, enforcement, required: challengeNames, found: .absent)])
    }
    let list = HTTPChallengeList([authorization])
    guard let credentials = list.challenges.first, list.challenges.count == 1, list.faults.isEmpty,
      let scheme = credentials.scheme, policy.schemes.contains(scheme)
    else { return malformed(authorization, enforcement) }
    switch scheme {
    case .basic: return basic(credentials, enforcement)
    case .digest: return digest(credentials, method: method, uri: uri, enforcement)
    case .ntlm: return ntlm(credentials, enforcement)
    case .negotiate: return malformed(authorization, enforcement)
    }
  }

  private mutating func basic(_ credentials: HTTPChallenge, _ enforcement: Enforcement) -> Judgement {
    guard let token = credentials.token, let given = BasicAuthentication.credential(in: token) else {
      return malformed(credentials.description, enforcement)
    }
    return settle(given.user, isRight: policy.users[given.user] == given.password, enforcement)
  }

  private mutating func digest(
    _ credentials: HTTPChallenge, method: String, uri: String, _ enforcement: Enforcement
  ) -> Judgement {
    guard let user = credentials["username"], let realm = credentials.realm, let nonce = credentials["nonce"],
      let response = credentials["response"], credentials["uri"] == uri,
      let algorithm = DigestAuthentication.Algorithm(credentials["algorithm"]), policy.algorithms.contains(algorithm)
    else { return malformed(credentials.description, enforcement) }
    guard realm == policy.realm else {
      return refused([advice(.realmMismatch, enforcement, required: .word(policy.realm), found: .word(realm))])
    }
    var proof = DigestAuthentication.Proof(
      algorithm, realm: realm, nonce: nonce, cnonce: credentials["cnonce"] ?? "")
    if policy.countsRequests {
      guard credentials["qop"]?.lowercased() == "auth", let text = credentials["nc"], text.utf8.count == 8,
        let count = Int(text, radix: 16), count > 0, credentials["cnonce"] != nil
      else { return malformed(credentials.description, enforcement) }
      proof.count = count
    }
    let isRight = policy.users[user].map { password in
      proof.response(UserPassword(user: user, password: password), method: method, uri: uri) == response.lowercased()
    }
    guard isRight == true, !isLocked(user) else { return settle(user, isRight: false, enforcement) }
    guard let last = nonces[nonce], policy.staleness == .never || hasBeenStale else {
      hasBeenStale = true
      return refused(
        [advice(.staleNonce, enforcement, required: .none, found: .word(nonce))], isStale: true)
    }
    if let count = proof.count {
      guard count > last else {
        return refused(
          [advice(.replayedNonce, enforcement, required: .atLeast(.number(last + 1)), found: .number(count))],
          isStale: true)
      }
      nonces[nonce] = count
    }
    return settle(user, isRight: true, enforcement)
  }

  private mutating func ntlm(_ credentials: HTTPChallenge, _ enforcement: Enforcement) -> Judgement {
    guard let token = credentials.token, let bytes = try? Base64.decode(token) else {
      return malformed(credentials.description, enforcement)
    }
    if let negotiate = NTLMMessage.Negotiate(bytes: bytes) {
      let challenge = random.bytes(8)
      (ntlmChallenge, ntlmUser) = (challenge, nil)
      let wanted: NTLMMessage.Flags = [.requestTarget, .ntlm, .alwaysSign, .extendedSessionSecurity]
      let message = NTLMMessage.Challenge(
        flags: negotiate.flags.intersection(wanted).union([.unicode, .ntlm, .targetTypeDomain, .targetInfo]),
        serverChallenge: challenge, targetName: policy.realm,
        targetInfo: NTLMv2.targetInfo(domain: policy.realm, server: policy.realm))
      return Judgement(answer: .unauthorized(["NTLM " + Base64.encode(message.bytes)]), findings: [])
    }
    guard let challenge = ntlmChallenge, let message = NTLMMessage.Authenticate(bytes: bytes) else {
      return malformed(credentials.description, enforcement)
    }
    ntlmChallenge = nil
    let user = policy.users.keys.sorted().first { $0.uppercased() == message.user.uppercased() } ?? message.user
    let isRight = policy.users[user].map { password in
      NTLMv2(user: message.user, domain: message.domain, password: password)
        .accepts(ntResponse: message.ntResponse, serverChallenge: challenge)
    }
    let judgement = settle(user, isRight: isRight == true, enforcement)
    if case .allowed = judgement.answer { ntlmUser = user }
    return judgement
  }

  /// Counts a correct or wrong password. Too many wrong passwords lock the account.
  private mutating func settle(_ user: String, isRight: Bool, _ enforcement: Enforcement) -> Judgement {
    attempts += 1
    if isRight, !isLocked(user) {
      failures[user] = nil
      return Judgement(
        answer: .allowed(user: user), findings: [enforcement.check(rule, on: subject, true)])
    }
    if policy.users[user] != nil, !isLocked(user) { failures[user, default: 0] += 1 }
    if isLocked(user) {
      let finding = enforcement.check(
        .accountLocked, on: subject, false, required: .atMost(.number(max(0, (policy.lockAfter ?? 0) - 1))),
        found: .number(failures[user] ?? 0))
      return Judgement(answer: .forbidden(user: user), findings: [finding])
    }
    let found = policy.users[user] == nil ? "no such user: \(user)" : "a wrong password for \(user)"
    return refused([advice(rule, enforcement, required: .none, found: .word(found))])
  }

  private func isLocked(_ user: String) -> Bool {
    policy.lockAfter.map { policy.users[user] != nil && (failures[user] ?? 0) >= $0 } ?? false
  }

  private mutating func malformed(_ found: String, _ enforcement: Enforcement) -> Judgement {
    refused([advice(.malformedCredentials, enforcement, required: challengeNames, found: .word(found))])
  }

  private mutating func refused(_ findings: [Finding], isStale: Bool = false) -> Judgement {
    Judgement(answer: .unauthorized(policy.schemes.flatMap { challenges($0, isStale: isStale) }), findings: findings)
  }

  private mutating func challenges(_ scheme: HTTPAuthenticationScheme, isStale: Bool) -> [String] {
    let realm = HTTPChallenge.Parameter("realm", policy.realm)
    switch scheme {
    case .basic: return [HTTPChallenge("Basic", [realm]).description]
    case .ntlm, .negotiate: return [scheme.rawValue]
    case .digest:
      return policy.algorithms.map { algorithm in
        let nonce = Hex.string(random.bytes(16))
        nonces[nonce] = 0
        let qop: [HTTPChallenge.Parameter] = policy.countsRequests ? [.init("qop", "auth")] : []
        let stale: [HTTPChallenge.Parameter] = isStale ? [.init("stale", "true", isQuoted: false)] : []
        let named: [HTTPChallenge.Parameter] = [.init("algorithm", algorithm.name, isQuoted: false)]
        return HTTPChallenge("Digest", [realm] + qop + named + [.init("nonce", nonce)] + stale).description
      }
    }
  }

  private var challengeNames: Detail { .anyOf(policy.schemes.map(\.rawValue)) }

  private func advice(_ rule: Rule, _ enforcement: Enforcement, required: Detail, found: Detail) -> Finding {
    enforcement.check(rule, on: subject, false, required: required, found: found).advising
  }
}
