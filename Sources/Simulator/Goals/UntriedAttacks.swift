import Explanation
import TLS

/// The kinds of attack on a connection whose preconditions hold, but which are not simulated.
struct UntriedAttacks {
  private let account: ConnectionRecord
  private let attackers: Attackers

  /// Creates the kinds of attack on the protected connection of `account`.
  init(_ account: ConnectionRecord, attackers: Attackers) {
    self.account = account
    self.attackers = attackers
  }

  /// All kinds of untried attack, by goal.
  var all: [UntriedAttack] {
    guard let suite = account.client.parameters?.cipherSuite.registration else { return bugs }
    return bugs + repeatedSecrets + exhaustiveSearches(suite) + tripleHandshakes + clientRetries
  }

  /// The attacks on the bugs of the client and the server. Only some bugs are used by the simulated attacks.
  private var bugs: [UntriedAttack] {
    guard attackers.can(.onPath) || attackers.can(.asksServer) else { return [] }
    let (client, server) = (account.plan.client.tls, account.plan.server.tls)
    // A false server reaches impersonation. Only with a client certificate could it also act between the genuine
    // endpoints.
    let isOfServer = client.enforcement.bug?.isOfAuthentication == true && client.identity == nil
    let ofClient = client.enforcement.bug.map { bug in
      (isOfServer ? [.impersonation] : Goal.allCases).map { UntriedAttack(goal: $0, kind: .bug, subject: bug.name) }
    }
    // A padding oracle needs RSA key exchange, which TLS 1.3 does not have.
    let hasRSA = server.versions.lowerBound < .tls13 && server.cipherSuites.contains { $0.keyExchange == .rsa }
    let isUseless = server.enforcement.isOverridden(.paddingOracle) && !hasRSA
    let ofServer = (isUseless ? nil : server.enforcement.bug).map { bug in
      Goal.allCases.map { UntriedAttack(goal: $0, kind: .bug, subject: bug.name) }
    }
    let all = (ofClient ?? []) + (ofServer ?? [])
    return all.enumerated().filter { !all[..<$0.offset].contains($0.element) }.map(\.element)
  }

  /// The attacks on repeated secrets in this connection, and in connections to which an attacker can downgrade the
  /// client.
  private var repeatedSecrets: [UntriedAttack] {
    guard !account.plan.client.request.cookie.isEmpty, attackers.can(.onPath) else { return [] }
    var all: [UntriedAttack] = []
    for parameters in ([account] + account.downgraded).compactMap(\.client.parameters) {
      guard let suite = parameters.cipherSuite.registration else { continue }
      all += repeatedSecrets(suite, parameters.version).filter { !all.contains($0) }
    }
    return all
  }

  /// Returns the attacks that find a repeated cookie by statistics, while an attacker makes the client send requests.
  private func repeatedSecrets(
    _ suite: CipherSuite.Registration, _ version: ProtocolVersion
  ) -> [UntriedAttack] {
    let isVectorKnown = version <= .tls10 && suite.cipher.blockLength != nil && !account.plan.client.tls.splitsRecords
    let kinds: [(UntriedAttack.Kind, Bool)] = [
      (.rc4Biases, suite.cipher == .rc4128), (.blockCollisions, suite.cipher == .tripleDESCBC),
      (.predictableVectors, isVectorKnown),
    ]
    return kinds.filter(\.1).map { UntriedAttack(goal: .eavesdropping, kind: $0.0, subject: suite.name) }
  }

  /// Returns the searches over every key, if the budget reaches the strength of the cipher or of a 256-bit curve.
  private func exhaustiveSearches(_ suite: CipherSuite.Registration) -> [UntriedAttack] {
    let isCurve = [.ecdheRSA, .ecdheECDSA].contains(suite.keyExchange)
    let strength = min(suite.cipher.strength, isCurve ? 128 : 256)
    guard attackers.budget >= strength else { return [] }
    return Goal.allCases.map { goal in
      UntriedAttack(goal: goal, kind: .exhaustiveSearch, subject: suite.name)
    }
  }

  /// The duplication of a request that is not safe, if the server accepted it as early data.
  private var clientRetries: [UntriedAttack] {
    guard attackers.can(.onPath), account.client.earlyDataIsAccepted == true,
      !account.plan.client.request.isSafe
    else { return [] }
    return [UntriedAttack(goal: .tampering, kind: .clientRetry, subject: "")]
  }

  /// The triple handshake, if its preconditions hold but it cannot be simulated.
  ///
  /// With RSA or DHE, an attacker can give two sessions the same master secret if it does not depend on the whole
  /// handshake (RFC 7627 section 1). The simulation supports RSA and sessions that the server remembers.
  private var tripleHandshakes: [UntriedAttack] {
    let (client, server) = (account.plan.client, account.plan.server.tls)
    let isShared = client.tls.cipherSuites.contains { suite in
      [.rsa, .dheRSA].contains(suite.keyExchange) && suite.isImplemented && server.cipherSuites.contains(suite)
    }
    guard attackers.can(.onPath), isShared, !TripleHandshake.isPossible(account.plan), client.tls.identity != nil,
      client.resumesSessions, client.tls.renegotiation != .refused, server.renegotiation != .refused,
      !(client.tls.offersExtendedMasterSecret && server.extendedMasterSecret)
    else { return [] }
    return [UntriedAttack(goal: .tampering, kind: .tripleHandshake, subject: "")]
  }
}

extension CipherSuite.BulkCipher {
  /// The size of the cipher's keys in bits, or its strength if that is less (NIST SP 800-57 part 1, table 2).
  fileprivate var strength: Int {
    switch self {
    case .rc440, .rc2CBC40, .des40CBC: 40
    case .desCBC: 56
    case .tripleDESCBC: 112
    case .rc4128, .aes128CBC, .aes128GCM: 128
    // A cipher that does not encrypt has no key to search for.
    case .null, .aes256CBC, .aes256GCM, .chacha20Poly1305: 256
    }
  }
}
