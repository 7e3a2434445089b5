import Explanation
import Wire

/// The versions, suites and extensions that the client offers (RFC 5246 section 7.4.1.2).
///
/// ```
/// struct {
///   ProtocolVersion client_version; Random random; SessionID session_id; CipherSuite cipher_suites<2..2^16-2>;
///   CompressionMethod compression_methods<1..2^8-1>; Extension extensions<0..2^16-1>;
/// } ClientHello;
/// ```
public struct ClientHello: Sendable, Hashable {
  /// The newest version that the client supports, up to TLS 1.2. Newer versions are in `supported_versions`.
  public var clientVersion: ProtocolVersion
  /// The client's random value, `client_random`: 32 bytes.
  public var random: [UInt8]
  /// The ID of the session to resume; empty if the client resumes none.
  public var sessionID: [UInt8]
  /// The offered suites in order of preference.
  public var cipherSuites: [CipherSuite]
  /// The offered compression methods, always including `null` (0).
  public var compressionMethods: [UInt8]
  /// The extensions in order; nil if the message ends before them.
  public var extensions: [Extension]?

  /// Creates a ClientHello without compression.
  public init(
    clientVersion: ProtocolVersion, random: [UInt8], sessionID: [UInt8] = [], cipherSuites: [CipherSuite],
    compressionMethods: [UInt8] = [0], extensions: [Extension]? = nil
  ) {
    self.clientVersion = clientVersion
    self.random = random
    self.sessionID = sessionID
    self.cipherSuites = cipherSuites
    self.compressionMethods = compressionMethods
    self.extensions = extensions
  }

  /// The offered versions: those in `supported_versions` if present (RFC 8446 section 4.2.1), otherwise all versions up
  /// to `client_version`.
  var offeredVersions: [ProtocolVersion] {
    if let versions = extensions?.supportedVersions { return versions }
    return ProtocolVersion.known.filter { $0 <= min(clientVersion, .tls12) }
  }

  /// Whether renegotiation_info or its SCSV is present (RFC 5746 section 3.4).
  var supportsSecureRenegotiation: Bool {
    extensions?.renegotiationInfo != nil || cipherSuites.contains(.emptyRenegotiationInfo)
  }

  init(_ reader: inout Reader, _ negotiated: Negotiated?) throws(WireError) {
    clientVersion = try ProtocolVersion(&reader, "client_version")
    random = try reader.random()
    sessionID = try reader.opaque("session_id", 0...32)
    cipherSuites = try reader.vector(
      "cipher_suites", 2...0xfffe, meaning: { $0.count == 1 ? "1 suite" : "\($0.count) suites" }
    ) { (reader) throws(WireError) in
      try reader.items { (reader) throws(WireError) in try CipherSuite(&reader) }
    }
    compressionMethods = try reader.vector("compression_methods", 1...0xff) { (reader) throws(WireError) in
      try reader.items { (reader) throws(WireError) in try reader.compressionMethod() }
    }
    extensions = try Extension.list(&reader, in: negotiated?.version == .tls13 ? .clientHello13 : .clientHello)
    guard offeredVersions.contains(.tls13) else { return }
    // RFC 8446 section 4.1.2: 32 random bytes.
    reader.dropParts(of: "random")
    reader.addMeaning("legacy_version in TLS 1.3", to: "client_version")
    reader.addMeaning("legacy_session_id in TLS 1.3", to: "session_id")
    reader.addMeaning("legacy_compression_methods in TLS 1.3", to: "compression_methods")
  }

  func write(to writer: inout Writer) throws(WireError) {
    writer.uint16(clientVersion.rawValue)
    writer.raw(random)
    try writer.opaque("session_id", 0...32, sessionID)
    try writer.vector("cipher_suites", 2...0xfffe) { writer in
      for suite in cipherSuites { writer.uint16(suite.rawValue) }
    }
    try writer.opaque("compression_methods", 1...0xff, compressionMethods)
    try Extension.write(extensions, to: &writer, in: .clientHello)
  }
}

/// The version, suite and extensions that the server selects (RFC 5246 section 7.4.1.3).
///
/// ```
/// struct {
///   ProtocolVersion server_version; Random random; SessionID session_id; CipherSuite cipher_suite;
///   CompressionMethod compression_method; Extension extensions<0..2^16-1>;
/// } ServerHello;
/// ```
public struct ServerHello: Sendable, Hashable {
  /// The version of the connection, up to TLS 1.2.
  public var serverVersion: ProtocolVersion
  /// The server's random value, `server_random`: 32 bytes.
  public var random: [UInt8]
  /// The session ID; empty if the session cannot be resumed.
  public var sessionID: [UInt8]
  /// The suite of the connection, which the client must have offered.
  public var cipherSuite: CipherSuite
  /// The compression method of the connection: `null` (0).
  public var compressionMethod: UInt8
  /// The responses to the client's extensions; nil if the message ends before them.
  public var extensions: [Extension]?

  /// Creates a ServerHello without compression.
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

  /// The version that the server selected: that in `supported_versions` if present (RFC 8446 section 4.2.1), otherwise
  /// `server_version`.
  public var selectedVersion: ProtocolVersion { extensions?.supportedVersions?.first ?? serverVersion }

  /// Whether the server selected TLS 1.3, for which `server_version` remains TLS 1.2 (RFC 8446 section 4.1.3).
  public var choosesTLS13: Bool { serverVersion == .tls12 && extensions?.supportedVersions?.first == .tls13 }

  /// Whether the server accepted an extension that has no content.
  func agreed(to type: ExtensionType) -> Bool { extensions?.contains { $0.type == type } ?? false }

  init(_ reader: inout Reader) throws(WireError) {
    serverVersion = try ProtocolVersion(&reader, "server_version")
    random = try reader.random()
    sessionID = try reader.opaque("session_id", 0...32)
    cipherSuite = try CipherSuite(&reader)
    compressionMethod = try reader.compressionMethod()
    extensions = try Extension.list(&reader, in: isRetryRequest ? .helloRetryRequest : .serverHello)
    guard choosesTLS13 else { return }
    reader.dropParts(of: "random")
    reader.addMeaning("legacy_version in TLS 1.3", to: "server_version")
    reader.addMeaning("legacy_session_id_echo in TLS 1.3", to: "session_id")
    reader.addMeaning("legacy_compression_method in TLS 1.3", to: "compression_method")
  }

  func write(to writer: inout Writer) throws(WireError) {
    writer.uint16(serverVersion.rawValue)
    writer.raw(random)
    try writer.opaque("session_id", 0...32, sessionID)
    writer.uint16(cipherSuite.rawValue)
    writer.uint8(compressionMethod)
    try Extension.write(extensions, to: &writer, in: isRetryRequest ? .helloRetryRequest : .serverHello)
  }
}
