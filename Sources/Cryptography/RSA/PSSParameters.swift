import SwiftASN1

/// RSASSA-PSS-params, RFC 4055 section 3.1: the hash of the message and of MGF1, and how many bytes of salt.
///
/// Mask generation with another function or another hash than the message's is not known here.
public struct PSSParameters: Sendable, Hashable {
  /// The hash of the message, which MGF1 uses too.
  public let hash: Hash
  /// How many bytes the salt has.
  public let saltLength: Int

  /// Parameters with a salt as long as the digest, unless another length is given.
  public init(hash: Hash, saltLength: Int? = nil) {
    self.hash = hash
    self.saltLength = saltLength ?? hash.digestSize
  }

  /// Reads the DER of the parameters; nil when it is none, or names what is not known here.
  ///
  /// A field left out has its default, and defaults may be written out (section 3.1).
  public init?(der: [UInt8]) {
    guard let node = try? DER.parse(der), let read = try? PSSParameters(node) else { return nil }
    self = read
  }

  init(_ node: ASN1Node) throws {
    self = try DER.sequence(node, identifier: .sequence) { fields in
      let hash = try PSSParameters.field(&fields, 0, PSSParameters.hash) ?? .sha1
      let mask = try PSSParameters.field(&fields, 1, PSSParameters.maskHash) ?? .sha1
      let salt = try PSSParameters.field(&fields, 2) { try Int(derEncoded: $0) } ?? 20
      let trailer = try PSSParameters.field(&fields, 3) { try Int(derEncoded: $0) } ?? 1
      guard mask == hash, (0...1024).contains(salt), trailer == 1 else {
        throw KeyError.malformed(structure: "RSASSA-PSS-params", reason: "a form that is not known here")
      }
      return PSSParameters(hash: hash, saltLength: salt)
    }
  }

  /// The DER of the parameters, with NULL behind the hash's identifier and defaults left out (sections 2.1 and 3.1).
  public var der: [UInt8] {
    KeyDER.sequence { fields in
      if hash != .sha1 {
        try PSSParameters.write(0, to: &fields, writeHash)
        try PSSParameters.write(1, to: &fields) { fields in
          try fields.appendConstructedNode(identifier: .sequence) { fields in
            try fields.serialize(PSSParameters.mgf1)
            try writeHash(&fields)
          }
        }
      }
      if saltLength != 20 { try PSSParameters.write(2, to: &fields) { try $0.serialize(saltLength) } }
    }
  }

  private static let mgf1: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 8]

  private static let hashes: [ASN1ObjectIdentifier: Hash] = [
    [1, 3, 14, 3, 2, 26]: .sha1, [2, 16, 840, 1, 101, 3, 4, 2, 4]: .sha224, [2, 16, 840, 1, 101, 3, 4, 2, 1]: .sha256,
    [2, 16, 840, 1, 101, 3, 4, 2, 2]: .sha384, [2, 16, 840, 1, 101, 3, 4, 2, 3]: .sha512,
  ]

  private static func field<Value>(
    _ fields: inout ASN1NodeCollection.Iterator, _ number: UInt, _ read: (ASN1Node) throws -> Value
  ) throws -> Value? {
    try DER.optionalExplicitlyTagged(&fields, tagNumber: number, tagClass: .contextSpecific, read)
  }

  private static func write(
    _ number: UInt, to fields: inout DER.Serializer, _ body: (inout DER.Serializer) throws -> Void
  ) throws {
    try fields.appendConstructedNode(
      identifier: ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific), body)
  }

  private func writeHash(_ fields: inout DER.Serializer) throws {
    guard let oid = PSSParameters.hashes.first(where: { $0.value == hash })?.key else { return }
    try fields.appendConstructedNode(identifier: .sequence) { fields in
      try fields.serialize(oid)
      try fields.serialize(ASN1Null())
    }
  }

  /// AlgorithmIdentifier of a hash, with NULL or nothing behind it (section 2.1).
  private static func hash(_ node: ASN1Node) throws -> Hash {
    let algorithm = try KeyDER.Algorithm(node)
    let isPlain = algorithm.parameters.map { $0.identifier == .null && $0.encodedBytes.count == 2 } ?? true
    guard isPlain, let hash = hashes[algorithm.oid] else {
      throw KeyError.malformed(structure: "HashAlgorithm", reason: "\(algorithm.oid) is not known here")
    }
    return hash
  }

  private static func maskHash(_ node: ASN1Node) throws -> Hash {
    let algorithm = try KeyDER.Algorithm(node)
    guard algorithm.oid == mgf1, let parameters = algorithm.parameters else {
      throw KeyError.malformed(structure: "MaskGenAlgorithm", reason: "only MGF1 is known here")
    }
    return try hash(parameters)
  }
}
