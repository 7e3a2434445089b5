import SwiftASN1

/// A DSA public key (FIPS 186-4 section 4) with its domain parameters, encoded as in certificates (RFC 3279 section
/// 2.3.2).
///
/// The key can only verify signatures. A key that inherits its parameters from its issuer's key is an
/// `UnsupportedPublicKey` until path validation adds them (`PublicKey.inheritingParameters(of:)`).
public struct DSAPublicKey: Sendable, Hashable {
  static let algorithm: ASN1ObjectIdentifier = [1, 2, 840, 10040, 4, 1]
  /// The sizes that limit the cost of a verification. They include all L and N of FIPS 186-4 section 4.2.
  private static let (sizes, divisorSizes) = (512...4096, 160...512)

  private let p: Natural
  private let q: Natural
  private let g: Natural
  private let y: Natural
  /// The SubjectPublicKeyInfo that the key was decoded from.
  public let subjectPublicKeyInfo: [UInt8]
  /// The DSAPublicKey in DER, which is the number y.
  public let subjectPublicKey: [UInt8]

  /// The size of the prime p in bits.
  public var bits: Int { p.bitWidth }

  /// Creates the key; nil if parameters are missing or FIPS 186-4 section 4.1 does not allow the numbers.
  init?(_ algorithm: KeyDER.Algorithm, _ key: ASN1BitString, _ der: [UInt8]) throws {
    guard let parameters = algorithm.parameters, parameters.identifier == .sequence else { return nil }
    let numbers = try KeyDER.naturals(parameters, count: 3)
    (p, q, g) = (numbers[0], numbers[1], numbers[2])
    y = Natural(bigEndian: try ArraySlice<UInt8>(derEncoded: DER.parse(key.bytes)))
    (subjectPublicKeyInfo, subjectPublicKey) = (der, Array(key.bytes))
    guard key.paddingBits == 0, Self.sizes.contains(p.bitWidth), Self.divisorSizes.contains(q.bitWidth), p.isOdd,
      g > 1, g < p, y > 1, y < p
    else { return nil }
  }

  /// Creates the key with the domain parameters of `parent`; nil if they do not allow the key's number.
  init?(parametersOf parent: DSAPublicKey, key: UnsupportedPublicKey) {
    guard let node = try? DER.parse(key.subjectPublicKey), let number = try? ArraySlice<UInt8>(derEncoded: node) else {
      return nil
    }
    (p, q, g) = (parent.p, parent.q, parent.g)
    y = Natural(bigEndian: number)
    (subjectPublicKeyInfo, subjectPublicKey) = (key.subjectPublicKeyInfo, key.subjectPublicKey)
    guard y > 1, y < p else { return nil }
  }

  /// Verifies a DSA signature (FIPS 186-4 section 4.7): a Dss-Sig-Value in DER (RFC 3279 section 2.2.2).
  ///
  /// Throws `SignatureError` if the signature is not valid for `message`.
  public func verify(_ signature: [UInt8], message: [UInt8], hash: Hash) throws(SignatureError) {
    let signature = try DigitalSignature(signature, over: message, hash: hash, order: q)
    do {
      let product = try (g.power(signature.u, modulo: p) * y.power(signature.v, modulo: p)).remainder(dividingBy: p)
      guard try product.remainder(dividingBy: q) == signature.r else { throw SignatureError.mismatch }
    } catch {
      throw .mismatch
    }
  }
}
