import Explanation
import TLS

/// The kinds of attack on a connection whose precondition holds, and which are not played.
struct UntriedAttacks {
  private let account: ConnectionAccount
  private let attackers: Attackers

  /// Those on the connection of `account`, under protection.
  init(_ account: ConnectionAccount, attackers: Attackers) {
    self.account = account
    self.attackers = attackers
  }

  /// All of them, by goal.
  var all: [UntriedAttack] {
    guard let parameters = account.client.parameters, let suite = parameters.cipherSuite.registration else { return [] }
    return repeatedSecrets(suite, parameters.version) + exhaustiveSearches(suite) + tripleHandshakes
  }

  /// A cookie that is sent again and again can be found by statistics while an attacker makes the client send requests.
  private func repeatedSecrets(
    _ suite: CipherSuite.Registration, _ version: ProtocolVersion
  ) -> [UntriedAttack] {
    let plan = account.plan
    guard !plan.client.request.cookie.isEmpty, attackers.can(.onPath) else { return [] }
    let isVectorKnown = version <= .tls10 && suite.cipher.blockLength != nil && !plan.client.tls.splitsRecords
    let kinds: [(UntriedAttack.Kind, Bool)] = [
      (.rc4Biases, suite.cipher == .rc4128), (.blockCollisions, suite.cipher == .tripleDESCBC),
      (.predictableVectors, isVectorKnown),
    ]
    return kinds.filter(\.1).map { UntriedAttack(goal: .eavesdropping, kind: $0.0, subject: suite.name) }
  }

  /// With a budget of the strength of a cipher, or of a curve of 256 bits, every key can be tried.
  private func exhaustiveSearches(_ suite: CipherSuite.Registration) -> [UntriedAttack] {
    let isCurve = [.ecdheRSA, .ecdheECDSA].contains(suite.keyExchange)
    let strength = min(suite.cipher.strength, isCurve ? 128 : 256)
    guard attackers.budget >= strength else { return [] }
    return Goal.allCases.map { goal in
      UntriedAttack(goal: goal, kind: .exhaustiveSearch, subject: suite.name)
    }
  }

  /// Where master secrets are not bound to the handshake, a client that shows a certificate can be led to a second
  /// handshake on the connection of an attacker: RFC 7627 section 1.
  private var tripleHandshakes: [UntriedAttack] {
    let (client, server) = (account.plan.client, account.plan.server.tls)
    guard attackers.can(.onPath), client.tls.identity != nil, client.resumesSessions,
      client.tls.renegotiation != .refused, server.renegotiation != .refused,
      !(client.tls.extendedMasterSecret && server.extendedMasterSecret)
    else { return [] }
    return [UntriedAttack(goal: .tampering, kind: .tripleHandshake, subject: "")]
  }
}

extension CipherSuite.BulkCipher {
  /// The power of two of its keys, or of its strength where that is less: NIST SP 800-57 part 1, table 2.
  fileprivate var strength: Int {
    switch self {
    case .rc440, .rc2CBC40, .des40CBC: 40
    case .desCBC: 56
    case .tripleDESCBC: 112
    case .rc4128, .aes128CBC, .aes128GCM: 128
    // What encrypts nothing has no key to search for.
    case .null, .aes256CBC, .aes256GCM, .chacha20Poly1305: 256
    }
  }
}
