import Explanation
import TLS
import Trust

/// How a URL loader connects again after a handshake that failed: with lower versions, until one succeeds or none is left.
///
/// RFC 5246 appendix E.1 lets two sides agree on a version at once. There were servers that broke off in place of an
/// answer, so clients asked again; and whoever breaks off in a server's place brings that about as well (RFC 7507 section
/// 1). Apple's Technical Note TN2287 says that NSURLConnection does so since iOS 5.
public struct Fallback: Sendable, Hashable {
  /// The highest version of each further attempt, in order.
  public var versions: [ProtocolVersion]
  /// Whether these attempts say what they are, with `TLS_FALLBACK_SCSV`: RFC 7507.
  public var isSignalled: Bool
  /// Whether an attempt with SSL 3.0 leaves out all suites in CBC mode, which are the ones that POODLE opens.
  public var avoidsBlockCiphers = false
  /// How well known that is.
  public var confidence: Finding.Confidence

  /// A client that asks again with these versions at most.
  public init(versions: [ProtocolVersion], isSignalled: Bool, confidence: Finding.Confidence) {
    self.versions = versions
    self.isSignalled = isSignalled
    self.confidence = confidence
  }

  /// What a system does by itself; nil where it does not ask again, or nothing is known of it.
  ///
  /// TN2287 does not say by which versions. Since OS X 10.11 Secure Transport has had a configuration `TLSv1_fallback`,
  /// which is TLS 1.0 alone with the signal (SecureTransport.h); the option to signal came with OS X 10.10. Against POODLE
  /// (CVE-2014-3566) iOS 8.1 and OS X 10.10 disabled suites in CBC mode where attempts with TLS fail.
  public static func systemDefault(os: OSVersion) -> Fallback? {
    guard os.family != .documentation, os.isAtLeast(iOS: (5, 0), macOS: (10, 9)),
      !os.isAtLeast(iOS: (12, 2), macOS: (10, 15))
    else { return nil }
    if os.isAtLeast(iOS: (9, 0), macOS: (10, 11)) {
      return Fallback(
        versions: [.tls10], isSignalled: true,
        confidence: .likely("Secure Transport has a configuration for it; that the loader uses it is inferred"))
    }
    let isSignalled = os.isAtLeast(iOS: (8, 0), macOS: (10, 10))
    var fallback = Fallback(
      versions: [.tls10, .sslv3], isSignalled: isSignalled,
      confidence: .likely(
        isSignalled
          ? "the option to signal came with OS X 10.10; that the loader sets it is inferred"
          : "TN2287 says that the loader asks again, and not by which versions"))
    fallback.avoidsBlockCiphers = os.isAtLeast(iOS: (8, 1), macOS: (10, 10))
    return fallback
  }

  /// The same where no version below `minimum` is accepted, and none that cannot be played; nil where none is left.
  public func above(_ minimum: ProtocolVersion) -> Fallback? {
    var fallback = self
    fallback.versions.removeAll { $0 < minimum || !$0.isImplemented }
    return fallback.versions.isEmpty ? nil : fallback
  }
}

/// Whether a client asks again after a handshake that failed, and whether it says so: RFC 7507.
public enum FallbackChoice: String, Sendable, Hashable, CaseIterable {
  /// As its system does.
  case system
  /// Not at all.
  case none
  /// With TLS 1.0, then with SSL 3.0 where its system accepts that, and with `TLS_FALLBACK_SCSV` among its suites.
  case signalled
  /// With the same versions, and without a word.
  case silent

  /// How a client that offers this asks again; nil where it does not.
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
  /// The same client when it asks again for the time of this number, counted from 0; nil where it does not.
  public func fallingBack(by fallback: Fallback, attempt: Int) -> ClientConfiguration? {
    guard fallback.versions.indices.contains(attempt) else { return nil }
    var client = fallingBack(to: fallback.versions[attempt], signalling: fallback.isSignalled)
    if fallback.avoidsBlockCiphers, client.versions.upperBound == .sslv3 {
      client.cipherSuites.removeAll { $0.registration?.cipher.blockLength != nil }
    }
    return client
  }

  /// The same client when it asks again, with `version` at most. That a record never says more than the hello in it, and
  /// that the signal stands last, is how RFC 5246 appendix E.1 and RFC 7507 section 4 would have it.
  public func fallingBack(to version: ProtocolVersion, signalling isSignalled: Bool) -> ClientConfiguration {
    var client = self
    client.versions = min(versions.lowerBound, version)...version
    if isSignalled { client.cipherSuites.append(.fallback) }
    client.layout.recordVersion = min(layout.recordVersion, version)
    // It would name the versions that are not to be chosen: RFC 8446 section 4.2.1.
    client.layout.extensions.removeAll { $0.type == .supportedVersions }
    client.session = nil
    return client
  }
}
