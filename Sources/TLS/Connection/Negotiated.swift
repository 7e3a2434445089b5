/// The version and cipher suite that a ClientHello and the server's response result in.
///
/// The key schedule, record layer and message encoding depend on this value, not on a type. One state machine
/// implements TLS 1.0 (RFC 2246), 1.1 (RFC 4346), 1.2 (RFC 5246) and SSL 3.0 (RFC 6101). They differ as follows:
///
/// ```
///                     SSL 3.0            1.0                        1.1                   1.2
/// PRF, Finished       its own            MD5 and SHA-1              as 1.0                the suite's hash
/// MACs of records     before HMAC        HMAC                       as 1.0                as 1.0
/// padding             any content        all bytes equal            as 1.0                as 1.0
/// signatures          as 1.0             MD5 + SHA-1, or SHA-1      as 1.0                with the algorithm named
/// IV of a CBC record  as 1.0             previous record's end      its own, in front     as 1.1
/// extensions          none               RFC 3546                   as 1.0                as 1.0
/// ```
public struct Negotiated: Sendable, Hashable {
  /// The version of the connection.
  public let version: ProtocolVersion
  /// The registered properties of the connection's suite.
  public let suite: CipherSuite.Registration

  /// Creates the value from a version and a suite.
  public init(version: ProtocolVersion, suite: CipherSuite.Registration) {
    self.version = version
    self.suite = suite
  }

  /// The version and suite in a ServerHello; nil for an unknown suite.
  public init?(_ hello: ServerHello) {
    guard let suite = hello.cipherSuite.registration else { return nil }
    self.init(version: hello.selectedVersion, suite: suite)
  }

  /// The pseudorandom function, which also determines the hash of the transcript. From TLS 1.2 on, the suite defines
  /// it.
  public var prf: CipherSuite.PRF {
    if version == .sslv3 { return .ssl3 }
    return version < .tls12 ? .md5SHA1 : suite.prf
  }

  /// Whether a signature names its algorithm, as it does from TLS 1.2 on (RFC 5246 section 4.7). In earlier versions,
  /// the type of the key determines the algorithm (RFC 2246 section 7.4.3, RFC 8422 section 5.4).
  public var namesSignatureAlgorithms: Bool { version >= .tls12 }

  /// The version in record headers, which is at most TLS 1.2 (RFC 8446 section 5.1).
  var recordVersion: ProtocolVersion { min(version, .tls12) }
}
