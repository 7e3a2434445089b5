import Crypto

/// An ECDSA public key, which is a point on a curve.
public struct ECPublicKey: Sendable {
  private enum Storage: Sendable {
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    case p521(P521.Signing.PublicKey)
  }

  /// The curve of the key.
  public let curve: EllipticCurve
  /// The uncompressed point `04 x y` (SEC 1 section 2.3.3).
  public let point: [UInt8]
  private let storage: Storage
  /// The SubjectPublicKeyInfo that the key was decoded from; nil for a generated key.
  private let encoded: [UInt8]?

  /// Creates the key with this point; nil unless the bytes are `04 x y` of a point on the curve.
  public init?(_ curve: EllipticCurve, point: [UInt8]) { self.init(curve, point: point, encoded: nil) }

  init?(_ curve: EllipticCurve, point: [UInt8], encoded: [UInt8]?) {
    guard point.first == 4 else { return nil }
    do {
      storage =
        switch curve {
        case .p256: .p256(try .init(x963Representation: point))
        case .p384: .p384(try .init(x963Representation: point))
        case .p521: .p521(try .init(x963Representation: point))
        }
    } catch {
      return nil
    }
    self.curve = curve
    self.point = point
    self.encoded = encoded
  }

  /// The SubjectPublicKeyInfo in DER (RFC 5480 section 2). A key that was decoded from DER keeps its original bytes.
  public var subjectPublicKeyInfo: [UInt8] {
    if let encoded { return encoded }
    return switch storage {
    case .p256(let key): Array(key.derRepresentation)
    case .p384(let key): Array(key.derRepresentation)
    case .p521(let key): Array(key.derRepresentation)
    }
  }

  /// Verifies an ECDSA signature (FIPS 186-5 section 6.4.2): an Ecdsa-Sig-Value in DER (RFC 3279 section 2.2.3).
  ///
  /// Throws `SignatureError` if the signature is invalid. The equation of ECDSA does not reveal the reason.
  public func verify(_ signature: [UInt8], message: [UInt8], hash: Hash) throws(SignatureError) {
    let holds: Bool? =
      switch hash {
      case .sha1: isValid(signature, Insecure.SHA1.hash(data: message))
      case .sha224: isValid(signature, SHA224.Digest(hash.digest(message)))
      case .sha256: isValid(signature, SHA256.hash(data: message))
      case .sha384: isValid(signature, SHA384.hash(data: message))
      case .sha512: isValid(signature, SHA512.hash(data: message))
      case .md5: throw .unsupportedScheme("ECDSA with \(hash.name)")
      }
    guard let holds else { throw .malformed }
    guard holds else { throw .mismatch }
  }

  /// Whether the signature is valid for the digest; nil if the signature is not in DER.
  private func isValid(_ signature: [UInt8], _ digest: some Digest) -> Bool? {
    do {
      return switch storage {
      case .p256(let key):
        if let numbers = ECPublicKey.numbers(signature, size: 32) {
          key.isValidSignature(try .init(rawRepresentation: numbers), for: digest)
        } else {
          key.isValidSignature(try .init(derRepresentation: signature), for: digest)
        }
      case .p384(let key): key.isValidSignature(try .init(derRepresentation: signature), for: digest)
      case .p521(let key): key.isValidSignature(try .init(derRepresentation: signature), for: digest)
      }
    } catch {
      return nil
    }
  }

  /// The r and s of a DER signature, each in `size` bytes, concatenated.
  ///
  /// Nil for any other form. A complete parser then decodes the signature.
  private static func numbers(_ der: [UInt8], size: Int) -> [UInt8]? {
    guard der.count > 2, der[0] == 0x30, der[1] < 0x80, Int(der[1]) == der.count - 2 else { return nil }
    var numbers: [UInt8] = []
    numbers.reserveCapacity(2 * size)
    var place = 2
    for _ in 0..<2 {
      guard place + 2 < der.count, der[place] == 0x02, der[place + 1] < 0x80 else { return nil }
      var start = place + 2
      let end = start + Int(der[place + 1])
      guard start < end, end <= der.count else { return nil }
      if der[start] == 0 {
        start += 1
        guard start < end, der[start] >= 0x80 else { return nil }
      } else if der[start] >= 0x80 {
        return nil
      }
      guard end - start <= size else { return nil }
      for _ in end - start..<size { numbers.append(0) }
      numbers += der[start..<end]
      place = end
    }
    return place == der.count ? numbers : nil
  }
}

extension ECPublicKey: Hashable {
  /// Whether the keys have the same curve and point.
  public static func == (left: ECPublicKey, right: ECPublicKey) -> Bool {
    left.curve == right.curve && left.point == right.point
  }

  /// Hashes the point of the key.
  public func hash(into hasher: inout Hasher) { hasher.combine(point) }
}
