import SwiftASN1

/// The RSASSA-PSS-params of a signature (RFC 4055 section 3.1): message hash, MGF1 hash and salt length.
public struct PSSParameters: Sendable, Hashable {
  /// The hash of the message.
  public let hash: Hash
  /// The hash of MGF1. Section 3.1 only recommends that it equal the hash of the message.
  public let maskHash: Hash
  /// The size of the salt in bytes.
  public let saltLength: Int

  /// Creates parameters. By default, MGF1 uses the hash of the message, and the salt is as long as the digest.
  public init(hash: Hash, maskHash: Hash? = nil, saltLength: Int? = nil) {
    self.hash = hash
    self.maskHash = maskHash ?? hash
    self.saltLength = saltLength ?? hash.digestSize
  }

  /// A defect of the parameters.
  public enum Defect: Error, Sendable, Hashable {
    /// The parameters are missing.
    case absent
    /// The bytes are not an RSASSA-PSS-params structure.
    case malformed
    /// The hash of the message is unknown to TrustLab. The value is its object identifier.
    case hash(String)
    /// The mask generation function is not MGF1. The value is its object identifier.
    case maskFunction(String)
    /// The hash of MGF1 is unknown to TrustLab. The value is its object identifier.
    case maskHash(String)
    /// The length of the salt is negative, or larger than any modulus.
    case saltLength(Int)
    /// The trailerField is not 1.
    case trailerField(Int)
  }

  /// Decodes the DER of the parameters; throws the defect if there is one.
  ///
  /// An omitted field has its default value. A default value may also be encoded (section 3.1).
  public init(reading der: [UInt8]) throws(Defect) {
    guard !der.isEmpty else { throw .absent }
    do {
      self = try PSSParameters(DER.parse(der))
    } catch let defect as Defect {
      throw defect
    } catch {
      throw .malformed
    }
  }

  /// Decodes the DER of the parameters; nil if the form or an algorithm is unknown.
  public init?(der: [UInt8]) {
    guard let read = try? PSSParameters(reading: der) else { return nil }
    self = read
  }

  /// The supported hashes of PSS signatures, most common first.
  static let knownHashes: [Hash] = [.sha256, .sha384, .sha512, .sha224, .sha1]

  init(_ node: ASN1Node) throws {
    self = try DER.sequence(node, identifier: .sequence) { fields in
      let hash = try PSSParameters.field(&fields, 0) { try PSSParameters.hash($0) { .hash($0) } } ?? .sha1
      let mask = try PSSParameters.field(&fields, 1, PSSParameters.maskHash) ?? .sha1
      let salt = try PSSParameters.field(&fields, 2) { try Int(derEncoded: $0) } ?? 20
      let trailer = try PSSParameters.field(&fields, 3) { try Int(derEncoded: $0) } ?? 1
      guard (0...1024).contains(salt) else { throw Defect.saltLength(salt) }
      guard trailer == 1 else { throw Defect.trailerField(trailer) }
      return PSSParameters(hash: hash, maskHash: mask, saltLength: salt)
    }
  }

  /// The DER of the parameters, with NULL after the identifier of a hash, and without default values (sections 2.1 and
  /// 3.1).
  public var der: [UInt8] {
    KeyDER.sequence { fields in
      if hash != .sha1 { try PSSParameters.write(0, to: &fields) { try PSSParameters.write(hash, to: &$0) } }
      if maskHash != .sha1 {
        try PSSParameters.write(1, to: &fields) { fields in
          try fields.appendConstructedNode(identifier: .sequence) { fields in
            try fields.serialize(PSSParameters.mgf1)
            try PSSParameters.write(maskHash, to: &fields)
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

  private static func write(_ hash: Hash, to fields: inout DER.Serializer) throws {
    guard let oid = PSSParameters.hashes.first(where: { $0.value == hash })?.key else { return }
    try fields.appendConstructedNode(identifier: .sequence) { fields in
      try fields.serialize(oid)
      try fields.serialize(ASN1Null())
    }
  }

  /// Decodes the AlgorithmIdentifier of a hash, whose parameters are NULL or absent (section 2.1).
  private static func hash(_ node: ASN1Node, _ defect: (String) -> Defect) throws -> Hash {
    let algorithm = try KeyDER.Algorithm(node)
    let isPlain = algorithm.parameters.map { $0.identifier == .null && $0.encodedBytes.count == 2 } ?? true
    guard isPlain else { throw Defect.malformed }
    guard let hash = hashes[algorithm.oid] else { throw defect("\(algorithm.oid)") }
    return hash
  }

  private static func maskHash(_ node: ASN1Node) throws -> Hash {
    let algorithm = try KeyDER.Algorithm(node)
    guard algorithm.oid == mgf1 else { throw Defect.maskFunction("\(algorithm.oid)") }
    guard let parameters = algorithm.parameters else { throw Defect.malformed }
    return try hash(parameters) { .maskHash($0) }
  }
}
