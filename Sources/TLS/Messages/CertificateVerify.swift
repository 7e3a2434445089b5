import Wire

/// The client proves that it holds its certificate's key: RFC 5246 section 7.4.8.
public struct CertificateVerify: Sendable, Hashable {
  /// How `signature` was made.
  public var algorithm: SignatureAndHashAlgorithm
  /// The signature over all handshake messages before this one.
  public var signature: [UInt8]

  /// A signature made with `algorithm`.
  public init(algorithm: SignatureAndHashAlgorithm, signature: [UInt8]) {
    self.algorithm = algorithm
    self.signature = signature
  }

  init(_ reader: inout Reader) throws(WireError) {
    algorithm = try SignatureAndHashAlgorithm(&reader, "algorithm")
    signature = try reader.opaque("signature", 0...0xffff)
  }

  func write(to writer: inout Writer) throws(WireError) {
    writer.uint16(algorithm.rawValue)
    try writer.opaque("signature", 0...0xffff, signature)
  }
}
