import Wire

/// The server's choice: RFC 5246 section 7.4.1.3.
///
/// ```
/// struct {
///   ProtocolVersion server_version; Random random; SessionID session_id; CipherSuite cipher_suite;
///   CompressionMethod compression_method; Extension extensions<0..2^16-1>;
/// } ServerHello;
/// ```
public struct ServerHello: Sendable, Hashable {
  /// The version of the connection.
  public var serverVersion: ProtocolVersion
  /// 32 bytes that the server draws: `server_random`.
  public var random: [UInt8]
  /// The session's name, empty when it cannot be resumed.
  public var sessionID: [UInt8]
  /// The suite of the connection, one of the client's.
  public var cipherSuite: CipherSuite
  /// The compression method of the connection: `null` (0).
  public var compressionMethod: UInt8
  /// Answers to the client's extensions; nil when the message ends before them.
  public var extensions: [Extension]?

  /// A choice of these parts, without compression.
  public init(
    serverVersion: ProtocolVersion, random: [UInt8], sessionID: [UInt8] = [], cipherSuite: CipherSuite,
    compressionMethod: UInt8 = 0, extensions: [Extension]? = nil
  ) {
    self.serverVersion = serverVersion
    self.random = random
    self.sessionID = sessionID
    self.cipherSuite = cipherSuite
    self.compressionMethod = compressionMethod
    self.extensions = extensions
  }

  init(_ reader: inout Reader) throws(WireError) {
    serverVersion = try ProtocolVersion(&reader, "server_version")
    random = try reader.random()
    sessionID = try reader.opaque("session_id", 0...32)
    cipherSuite = try CipherSuite(&reader)
    compressionMethod = try reader.compressionMethod()
    extensions = try Extension.list(&reader, in: .serverHello)
  }

  func write(to writer: inout Writer) throws(WireError) {
    writer.uint16(serverVersion.rawValue)
    writer.raw(random)
    try writer.opaque("session_id", 0...32, sessionID)
    writer.uint16(cipherSuite.rawValue)
    writer.uint8(compressionMethod)
    try Extension.write(extensions, to: &writer, in: .serverHello)
  }
}
