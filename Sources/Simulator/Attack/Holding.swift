import Cryptography
import Explanation
import PKIX

/// A certificate of the world with its chain and, if known, its private key.
///
/// An attacker that learns the key can present the certificate and sign with it.
public struct Holding: Sendable {
  /// The name of the certificate.
  public let name: String
  /// The certificate and the certificates of its issuers below the root.
  public let chain: [Certificate]
  /// The private key; nil if it is unknown in the world.
  public let key: PrivateKey?
  /// The name of the key's value. A key is named after its owner, even if several certificates contain it.
  public let keyName: Value.ID
  private let signing: CertificateAuthority.Signing

  /// Creates a holding of the certificate called `name`.
  public init(
    name: String, chain: [Certificate], key: PrivateKey?, keyName: Value.ID,
    signing: @escaping CertificateAuthority.Signing = CertificateAuthority.sign
  ) {
    self.name = name
    self.chain = chain
    self.key = key
    self.keyName = keyName
    self.signing = signing
  }

  /// The CA that signs with the key; nil if the key is unknown in the world.
  var signer: CertificateAuthority? {
    guard let key, let own = chain.first else { return nil }
    return CertificateAuthority(own, key: key, signing: signing)
  }
}

/// The strength of the simulated attackers.
public struct Attackers: Sendable, Hashable {
  /// The strongest kind of attack that the attackers can carry out.
  public var capability = Method.Capability.asksServer
  /// The maximum number of candidates that the attackers can try, as a power of two: 2^40.
  public var budget = 40

  /// Creates the strongest attackers: on the path, and able to query the server again.
  public init() {}

  /// Returns whether the attackers have this capability.
  public func can(_ capability: Method.Capability) -> Bool { capability <= self.capability }
}
