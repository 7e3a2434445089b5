/// What one ClientHello and its answer have settled: the version and the suite. Key schedule, record layer and the
/// shapes of messages go by this value, never by a type.
public struct Negotiated: Sendable, Hashable {
  /// The version of the connection.
  public let version: ProtocolVersion
  /// The row of the connection's suite.
  public let suite: CipherSuite.Registration

  /// What was settled.
  public init(version: ProtocolVersion, suite: CipherSuite.Registration) {
    self.version = version
    self.suite = suite
  }

  /// What the two hellos come to; nil for a suite that is not registered here.
  public init?(_ hello: ServerHello) {
    guard let suite = hello.cipherSuite.registration else { return nil }
    self.init(version: hello.selectedVersion, suite: suite)
  }

  /// What the headers of records carry: RFC 8446 section 5.1 lets it end at TLS 1.2.
  var recordVersion: ProtocolVersion { min(version, .tls12) }
}
