import Explanation
import TLS
import Trust

/// A client's retries after a failed handshake: with lower versions, until one succeeds or none is left.
///
/// RFC 5246 appendix E.1 lets client and server agree on a version in one handshake. Some servers closed the connection
/// instead, so clients tried again. An attacker that closes the connection causes the same retries (RFC 7507 section
/// 1). According to Apple's Technical Note TN2287, NSURLConnection has done so since iOS 5.
public struct Fallback: Sendable, Hashable {
  /// The highest version of each retry, in order.
  public var versions: [ProtocolVersion]
  /// Whether the retries include `TLS_FALLBACK_SCSV` (RFC 7507).
  public var isSignalled: Bool
  /// Whether a retry with SSL 3.0 leaves out all suites in CBC mode, which POODLE attacks.
  public var avoidsBlockCiphers = false
  /// The confidence in these values.
  public var confidence: Finding.Confidence

  /// Creates a client's retries, with these highest versions.
  public init(versions: [ProtocolVersion], isSignalled: Bool, confidence: Finding.Confidence) {
    self.versions = versions
    self.isSignalled = isSignalled
    self.confidence = confidence
  }

  /// The retries of a system; nil if it does not retry, or if its behaviour is not known.
  ///
  /// TN2287 does not name the versions. Since OS X 10.11, Secure Transport has had a configuration `TLSv1_fallback`:
  /// TLS 1.0 only, with the SCSV (SecureTransport.h). The option to send the SCSV came with OS X 10.10. Against POODLE
  /// (CVE-2014-3566), iOS 8.1 and OS X 10.10 disabled suites in CBC mode if attempts with TLS fail.
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

  /// The retries with at least `minimum` and with versions that TrustLab can simulate; nil if none is left.
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
  /// Retries with TLS 1.0, then with SSL 3.0 if the system accepts it, each with `TLS_FALLBACK_SCSV`.
  case signalled
  /// Retries with the same versions, without the SCSV.
  case silent

  /// The retries of a client with this offer; nil if it does not retry.
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
  /// The client for a retry, counted from 0; nil if it makes no such retry.
  public func fallingBack(by fallback: Fallback, attempt: Int) -> ClientConfiguration? {
    guard fallback.versions.indices.contains(attempt) else { return nil }
    var client = fallingBack(to: fallback.versions[attempt], signalling: fallback.isSignalled)
    if fallback.avoidsBlockCiphers, client.versions.upperBound == .sslv3 {
      client.cipherSuites.removeAll { $0.registration?.cipher.blockLength != nil }
    }
    return client
  }

  /// The client for a retry with `version` at most.
  ///
  /// The record's version is at most that of the hello in it (RFC 5246 appendix E.1). The SCSV comes last (RFC 7507
  /// section 4).
  public func fallingBack(to version: ProtocolVersion, signalling isSignalled: Bool) -> ClientConfiguration {
    var client = self
    client.versions = min(versions.lowerBound, version)...version
    if isSignalled { client.cipherSuites.append(.fallback) }
    client.layout.recordVersion = min(layout.recordVersion, version)
    // The extension would list versions that the server must not choose (RFC 8446 section 4.2.1).
    client.layout.extensions.removeAll { $0.type == .supportedVersions }
    client.session = nil
    return client
  }
}
