import TLS
import URLLoading

/// The recorded hello that a system's ClientHello comes from, and what it leaves out.
public struct HelloOrigin: Sendable {
  /// The offer of the system.
  public let offer: ClientOffer
  /// The load that it is made for.
  public let load: AppTransportSecurity.Load
  /// The newest version of the hello; nil if it is that of the recorded hello.
  public let limitedTo: ProtocolVersion?
  /// Whether App Transport Security removed something from it.
  public let isNarrowed: Bool
}

extension ClientEndpoint.Configuration {
  /// The recorded hello behind the client's; nil for a client that is no system's.
  public var helloOrigin: HelloOrigin? {
    guard let offer else { return nil }
    let newest = tls.versions.upperBound
    return HelloOrigin(
      offer: offer, load: load, limitedTo: newest < min(offer.maximumVersion, .tls12) ? newest : nil,
      isNarrowed: decision.requirements != nil && offer.hello != .ats9)
  }
}
