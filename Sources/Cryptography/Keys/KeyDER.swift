import SwiftASN1

/// Decodes and encodes the ASN.1 structures of keys.
///
/// They are SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7), PrivateKeyInfo (RFC 5208 section 5), RSAPublicKey and
/// RSAPrivateKey (RFC 8017 appendix A.1).
enum KeyDER {
  static let rsaEncryption: ASN1ObjectIdentifier = .AlgorithmIdentifier.rsaEncryption
  /// The older identifier id-ea-rsa of RSA keys in X.509 (1988, annex H). Its parameter is the size of the key.
  static let rsa: ASN1ObjectIdentifier = [2, 5, 8, 1, 1]

  /// An AlgorithmIdentifier: the algorithm and its unparsed parameters.
  struct Algorithm {
    let oid: ASN1ObjectIdentifier
    let parameters: ASN1Node?

    init(_ node: ASN1Node) throws {
      (oid, parameters) = try DER.sequence(node, identifier: .sequence) { fields in
        (try ASN1ObjectIdentifier(derEncoded: &fields), fields.next())
      }
    }
  }

  /// Decodes `bytes` as `structure`, and converts each error to a `KeyError`.
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

  /// A description of the reason, without names from the decoding library.
  private static func reason(_ error: any Error) -> String {
    switch (error as? ASN1Error)?.code {
    case .truncatedASN1Field?: "a field is missing or truncated"
    case .unexpectedFieldType?: "a field has an unexpected type"
    case .invalidASN1IntegerEncoding?: "an INTEGER that is not in its shortest form"
    case .unsupportedFieldLength?: "a length that is not in its shortest form"
    default: "a field that is not in DER, or an extra field"
    }
  }

  /// Decodes an INTEGER as a natural number.
  static func natural(_ fields: inout ASN1NodeCollection.Iterator) throws -> Natural {
    Natural(bigEndian: try ArraySlice<UInt8>(derEncoded: &fields))
  }

  /// Decodes a SEQUENCE of exactly `count` INTEGERs.
  static func naturals(_ node: ASN1Node, count: Int) throws -> [Natural] {
    try DER.sequence(node, identifier: .sequence) { fields in
      try (0..<count).map { _ in try natural(&fields) }
    }
  }

  /// Decodes r and s of a DSA or ECDSA signature (RFC 3279 sections 2.2.2 and 2.2.3), which contains nothing else.
  static func signature(_ bytes: [UInt8]) throws(SignatureError) -> (r: Natural, s: Natural) {
    guard let node = try? DER.parse(bytes), let numbers = try? naturals(node, count: 2) else { throw .malformed }
    return (numbers[0], numbers[1])
  }

  /// Encodes the SEQUENCE that `body` writes in DER.
  static func sequence(_ body: (inout DER.Serializer) throws -> Void) -> [UInt8] {
    var serializer = DER.Serializer()
    // Only values that cannot be serialized throw here. Numbers, bytes and constants can always be serialized.
    try? serializer.appendConstructedNode(identifier: .sequence, body)
    return serializer.serializedBytes
  }

  /// Encodes a SEQUENCE of INTEGERs in DER.
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

/// The reason why bytes or text are not a key.
public enum KeyError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The bytes are not the expected ASN.1 structure. The values are the structure's name and the defect.
  case malformed(structure: String, reason: String)
  /// The text is not valid PEM.
  case pem(PEMError)
  /// The PEM block does not contain a key. The value is its label.
  case label(String)
  /// The numbers do not form a valid RSA key.
  case rsa(RSAError)
  /// TrustLab does not support private keys of this algorithm.
  case unsupportedAlgorithm(String)

  /// A description of the reason.
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
