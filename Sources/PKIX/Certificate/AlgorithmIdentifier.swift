import Cryptography
import Explanation

/// An algorithm and its parameters, RFC 5280 section 4.1.1.2.
public struct AlgorithmIdentifier: Sendable, Hashable, CustomStringConvertible {
  /// Which algorithm.
  public let oid: OID
  /// The encoding of the parameters; empty when there are none.
  public let parameters: [UInt8]

  /// An algorithm with encoded parameters.
  public init(_ oid: OID, parameters: [UInt8] = []) {
    self.oid = oid
    self.parameters = parameters
  }

  static func read(_ cursor: inout DERCursor, _ field: String) throws(CertificateError) -> AlgorithmIdentifier {
    var parts = cursor.inside(try cursor.next(field, DERTag.sequence))
    let oid = try parts.objectIdentifier("algorithm")
    let parameters = parts.isAtEnd ? [] : parts.encoding(try parts.next("parameters"))
    try parts.finish(field)
    return AlgorithmIdentifier(oid, parameters: parameters)
  }

  var der: [UInt8] { DER.sequence(DER.objectIdentifier(oid), parameters) }

  /// The standard's name: `sha256WithRSAEncryption`.
  public var description: String { oid.name }
}
