import Explanation
import TLS

/// A private key that an attacker with enough operations can compute from public values.
///
/// See NIST SP 800-57 part 1, table 2.
public struct BreakableKey: Sendable {
  /// The name of the key's value.
  public let name: Value.ID
  /// The method that breaks the key.
  public let method: Method
  /// The inputs of the method.
  public let inputs: [Value.ID]
  /// The work that is needed to break the key.
  public let strength: SecurityStrength

  /// Whether the numbers were chosen so badly that any attacker breaks the key.
  var isEasy = false

  /// Returns whether an attacker with 2^`budget` operations can break the key.
  public func isInReach(ofBudget budget: Int) -> Bool { isEasy || strength.isInReach(ofBudget: budget) }

  /// The derivation by which an attacker obtains the key.
  public var derivation: Value.Derivation { .computed(method, from: inputs) }

  /// Creates the key called `name` with this strength. `method` computes the key from `inputs`.
  public init(name: Value.ID, method: Method, inputs: [Value.ID], strength: SecurityStrength) {
    self.name = name
    self.method = method
    self.inputs = inputs
    self.strength = strength
  }
}

extension World.Plan {
  /// The server's ephemeral key in its own finite field.
  ///
  /// The key is nil if the client names groups (RFC 7919 section 4), because the smallest of them has 2048 bits.
  public var ephemeralKey: BreakableKey? {
    var decided = client
    decided.decide()
    let (client, server) = (decided.tls, server.tls)
    guard server.cipherSuites.contains(where: { $0.keyExchange == .dheRSA || $0.keyExchange == .dhAnonymous }),
      !client.groups.contains(where: \.isFiniteField)
    else { return nil }
    let scope = server.valueScope
    var key = BreakableKey(
      name: scope.name(.dhPrivate, of: .server), method: .discreteLogarithm(bits: server.dhGroup.bits),
      inputs: [scope.name(.dhPublic, of: .server), scope.name(.dhPrime), scope.name(.dhGenerator)],
      strength: SecurityStrength(ofModulus: server.dhGroup.bits))
    key.isEasy = server.dhGroup.hasSmoothOrder
    return key
  }
}
