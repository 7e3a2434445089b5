import Cryptography

extension PKCS12 {
  /// The MAC parameters of a PKCS #12 file: PBMAC1-params (RFC 8018 appendix A.5), as RFC 9579 uses them.
  ///
  /// PBKDF2 derives the key of the MAC.
  public struct PBMAC1: Sendable, Hashable {
    /// The hash function of the HMAC over the content.
    public let mac: Hash
    /// The hash function of the HMAC in PBKDF2.
    public let function: Hash
    /// The number of PBKDF2 iterations.
    public let iterations: Int
    private let salt: [UInt8]
    private let keyLength: Int

    static let identifier = OID(1, 2, 840, 113549, 1, 5, 14)
    /// The minimum key length. An attacker could guess a shorter key without the passphrase.
    private static let minimumKeyLength = 20
    private static let maximumKeyLength = 1024

    /// Reads the parameters of an AlgorithmIdentifier. The key length must be present (RFC 9579 section 4).
    init(_ algorithm: inout DERCursor) throws {
      var parameters = algorithm.inside(try algorithm.next("PBMAC1-params", DERTag.sequence))
      var derivation = parameters.inside(try parameters.next("keyDerivationFunc", DERTag.sequence))
      var scheme = parameters.inside(try parameters.next("messageAuthScheme", DERTag.sequence))
      try parameters.finish("PBMAC1-params")
      let kind = try derivation.objectIdentifier("keyDerivationFunc")
      guard kind == Encryption.pbkdf2 else { throw PKCS12Error.unsupported("the key derivation \(kind.name)") }
      var count = derivation.inside(try derivation.next("PBKDF2-params", DERTag.sequence))
      salt = count.content(try count.next("salt", DERTag.octetString))
      iterations = try count.smallInteger("iterationCount")
      keyLength = try count.smallInteger("keyLength")
      guard (Self.minimumKeyLength...Self.maximumKeyLength).contains(keyLength) else {
        throw count.error(
          "keyLength", at: count.position, "a key of \(keyLength) bytes", "RFC 9579 requires at least 20 bytes.")
      }
      function = try count.isAtEnd ? .sha1 : Encryption.hash(&count)
      let oid = try scheme.objectIdentifier("messageAuthScheme")
      guard let hash = Encryption.functions[oid] else { throw PKCS12Error.unsupported("a MAC with \(oid.name)") }
      mac = hash
    }

    /// Derives the key of the MAC from the passphrase, which is encoded as UTF-8.
    func key(_ passphrase: Passphrase) throws(CipherError) -> [UInt8] {
      try PBKDF2.key(passphrase.utf8, salt: salt, iterations: iterations, count: keyLength, hash: function)
    }
  }
}
