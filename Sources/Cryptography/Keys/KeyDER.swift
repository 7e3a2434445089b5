import SwiftASN1

/// The ASN.1 structures of keys.
///
/// They are SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7), PrivateKeyInfo (RFC 5208 section 5), RSAPublicKey and
/// RSAPrivateKey (RFC 8017 appendix A.1).
enum KeyDER {
  static let rsaEncryption: ASN1ObjectIdentifier = .AlgorithmIdentifier.rsaEncryption
  /// id-ea-rsa, the identifier of the same keys in X.509 (1988, annex H). Its parameter is the size of the key.
  static let rsa: ASN1ObjectIdentifier = [2, 5, 8, 1, 1]

  /// AlgorithmIdentifier: the algorithm, and its unparsed parameters.
  struct Algorithm {
    let oid: ASN1ObjectIdentifier
    let parameters: ASN1Node?

    init(_ node: ASN1Node) throws {
      (oid, parameters) = try DER.sequence(node, identifier: .sequence) { fields in
        (try ASN1ObjectIdentifier(derEncoded: &fields), fields.next())
      }
    }
  }

  /// Reads `bytes` as `structure`, and converts each error to its reason.
  static func read<Value>(
    _ bytes: [UInt8], as structure: String, _ body: (ASN1Node) throws -> Value
  ) throws(KeyError) -> Value {
    do {
      return try body(DER.parse(bytes))
    } catch let error as RSAError {
      throw .rsa(error)
    } catch let error as KeyError {
      throw error
    } catch {
      throw .malformed(structure: structure, reason: reason(error))
    }
  }

  /// The reason in words, without names from the decoding library.
  private static func reason(_ error: any Error) -> String {
    switch (error as? ASN1Error)?.code {
    case .truncatedASN1Field?: "a field is missing or truncated"
    case .unexpectedFieldType?: "a field has an unexpected type"
    case .invalidASN1IntegerEncoding?: "an INTEGER that is not in its shortest form"
    case .unsupportedFieldLength?: "a length that is not in its shortest form"
    default: "a field that is not in DER, or an extra field"
    }
  }

  /// An INTEGER that is not negative.
  static func natural(_ fields: inout ASN1NodeCollection.Iterator) throws -> Natural {
    Natural(bigEndian: try ArraySlice<UInt8>(derEncoded: &fields))
  }

  /// The numbers of a SEQUENCE of INTEGERs, at most `limit` of them.
  static func naturals(_ node: ASN1Node, count: Int) throws -> [Natural] {
    try DER.sequence(node, identifier: .sequence) { fields in
      try (0..<count).map { _ in try natural(&fields) }
    }
  }

  /// Reads r and s of a DSA or ECDSA signature (RFC 3279 sections 2.2.2 and 2.2.3): two numbers in DER, and nothing
  /// else.
  static func signature(_ bytes: [UInt8]) throws(SignatureError) -> (r: Natural, s: Natural) {
    guard let node = try? DER.parse(bytes), let numbers = try? naturals(node, count: 2) else { throw .malformed }
    return (numbers[0], numbers[1])
  }

  /// The DER of the SEQUENCE that `body` writes.
  static func sequence(_ body: (inout DER.Serializer) throws -> Void) -> [UInt8] {
    var serializer = DER.Serializer()
    // Only values that cannot be serialized throw here. Numbers, bytes and constants can always be serialized.
    try? serializer.appendConstructedNode(identifier: .sequence, body)
    return serializer.serializedBytes
  }

  /// The DER of a SEQUENCE of INTEGERs.
  static func sequence(of numbers: [Natural]) -> [UInt8] {
    sequence { fields in
      for number in numbers { try fields.serialize(number.bigEndianBytes()[...]) }
    }
  }

  /// Writes the AlgorithmIdentifier of RSA keys, whose parameters are NULL (RFC 3279 section 2.3.1).
  static func writeRSAAlgorithm(_ fields: inout DER.Serializer) throws {
    try fields.appendConstructedNode(identifier: .sequence) { fields in
      try fields.serialize(rsaEncryption)
      try fields.serialize(ASN1Null())
    }
  }
}

/// The reason that bytes or text are not a key.
public enum KeyError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The bytes are not the expected ASN.1 structure: its name, and the defect.
  case malformed(structure: String, reason: String)
  /// The text is not PEM.
  case pem(PEMError)
  /// The PEM block has other content.
  case label(String)
  /// The numbers cannot be a key.
  case rsa(RSAError)
  /// TrustLab does not support private keys of this algorithm.
  case unsupportedAlgorithm(String)

  /// The reason in words.
  public var description: String {
    switch self {
    case .malformed(let structure, let reason): "not a \(structure) in DER: \(reason)"
    case .pem(let error): error.description
    case .label(let label): "a PEM block with the label \(label), not a private key"
    case .rsa(let error): error.description
    case .unsupportedAlgorithm(let name): "TrustLab does not support private keys of \(name)"
    }
  }
}
