import Wire

/// Proof that both sides saw the same handshake and hold the same secret: RFC 5246 section 7.4.9.
public struct Finished: Sendable, Hashable {
  /// Twelve bytes of the pseudo-random function over the hash of all handshake messages before this one.
  public var verifyData: [UInt8]

  /// A message with this proof.
  public init(verifyData: [UInt8]) { self.verifyData = verifyData }

  /// `verify_data_length` of all suites of RFC 5246.
  public static let verifyDataLength = 12

  init(_ reader: inout Reader) throws(WireError) {
    verifyData = try reader.bytes("verify_data", count: Self.verifyDataLength)
  }

  func write(to writer: inout Writer) { writer.raw(verifyData) }
}
