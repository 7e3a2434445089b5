import Explanation
import TLS
import Trust

/// A client's retries with lower versions after a failed handshake.
///
/// The client retries until a handshake succeeds or no version remains.
///
/// RFC 5246 appendix E.1 lets the client and the server agree on a version in one handshake. Some servers closed the
/// connection instead, so clients tried again. An attacker that closes the connection causes such retries too (RFC 7507
/// section 1). According to Apple's Technical Note TN2287, NSURLConnection has retried since iOS 5.
public struct Fallback: Sendable, Hashable {
  /// The highest version of each retry, in order.
  public var versions: [ProtocolVersion]
  /// Whether the retries include `TLS_FALLBACK_SCSV` (RFC 7507).
  public var isSignalled: Bool
  /// Whether a retry with SSL 3.0 omits all suites in CBC mode, which the POODLE attack exploits.
  public var avoidsBlockCiphers = false
  /// The confidence in these values.
  public var confidence: Finding.Confidence

  /// Creates a client's retries with the given highest versions.
  public init(versions: [ProtocolVersion], isSignalled: Bool, confidence: Finding.Confidence) {
    self.versions = versions
    self.isSignalled = isSignalled
    self.confidence = confidence
  }

  /// Returns the retries of a system; nil if it does not retry, or if its behaviour is not known.
  ///
  /// TN2287 does not name the versions. Since OS X 10.11, Secure Transport has had a configuration `TLSv1_fallback`
  /// with only TLS 1.0 and the SCSV (SecureTransport.h). The option to send the SCSV came with OS X 10.10. Since iOS
  /// 8.1 and OS X 10.10, suites in CBC mode are disabled after failed attempts with TLS, because of POODLE
  /// (CVE-2014-3566).
  public static func systemDefault(os: OSVersion) -> Fallback? {
    guard os.family != .documentation, os.isAtLeast(iOS: (5, 0), macOS: (10, 9)),
      !os.isAtLeast(iOS: (12, 2), macOS: (10, 15))
    else { return nil }
    if os.isAtLeast(iOS: (9, 0), macOS: (10, 11)) {
      return Fallback(
        versions: [.tls10], isSignalled: true,
        confidence: .likely(
          "Secure Transport has a configuration for this fallback; TrustLab infers that the loader "
            + "uses it"))
    }
    let isSignalled = os.isAtLeast(iOS: (8, 0), macOS: (10, 10))
    var fallback = Fallback(
      versions: [.tls10, .sslv3], isSignalled: isSignalled,
      confidence: .likely(
        isSignalled
          ? "OS X 10.10 added the option to send the SCSV; TrustLab infers that the loader uses it"
          : "TN2287 says that the loader tries again, but does not say with which versions"))
    fallback.avoidsBlockCiphers = os.isAtLeast(iOS: (8, 1), macOS: (10, 10))
    return fallback
  }

  /// Returns the retries with at least `minimum` and with versions that TrustLab can simulate; nil if none remain.
  public func above(_ minimum: ProtocolVersion) -> Fallback? {
    var fallback = self
    fallback.versions.removeAll { $0 < minimum || !$0.isImplemented }
    return fallback.versions.isEmpty ? nil : fallback
  }
}

/// A client's behaviour after a failed handshake: whether it retries, and whether it sends the SCSV (RFC 7507).
public enum FallbackChoice: String, Sendable, Hashable, CaseIterable {
  /// The system's behaviour.
  case system
  /// No retry.
  case none
  /// The client retries with TLS 1.0, then with SSL 3.0 if the system accepts it. Each retry has `TLS_FALLBACK_SCSV`.
  case signalled
  /// The client retries with these versions, but without the SCSV.
  case silent

  /// Returns the retries of a client with this offer; nil if it does not retry.
  public func applied(to offer: ClientOffer) -> Fallback? {
    switch self {
    case .system: offer.fallback
    case .none: nil
    case .signalled, .silent:
      Fallback(versions: [.tls10, .sslv3], isSignalled: self == .signalled, confidence: .certain)
        .above(offer.minimumVersion)
    }
  }
}

extension ClientConfiguration {
  /// Returns the configuration of the client for a retry, counted from 0; nil if there is no such retry.
  public func fallingBack(by fallback: Fallback, attempt: Int) -> ClientConfiguration? {
    guard fallback.versions.indices.contains(attempt) else { return nil }
    var client = fallingBack(to: fallback.versions[attempt], signalling: fallback.isSignalled)
    if fallback.avoidsBlockCiphers, client.versions.upperBound == .sslv3 {
      client.cipherSuites.removeAll { $0.registration?.cipher.blockLength != nil }
    }
    return client
  }

  /// Returns the configuration of the client for a retry with at most `version`.
  ///
  /// The version of the record is not higher than that of the hello in it (RFC 5246 appendix E.1). The SCSV comes last
  /// (RFC 7507 section 4).
  public func fallingBack(to version: ProtocolVersion, signalling isSignalled: Bool) -> ClientConfiguration {
    var client = self
    client.leaveOutTLS13()
    client.versions = min(versions.lowerBound, version)...version
    if isSignalled { client.cipherSuites.append(.fallback) }
    client.layout.recordVersion = min(layout.recordVersion, version)
    client.session = nil
    return client
  }
}
