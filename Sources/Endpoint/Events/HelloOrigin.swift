import TLS
import URLLoading

/// The recorded hello on which a system's ClientHello is based, and the differences between them.
public struct HelloOrigin: Sendable {
  /// The offer of the system.
  public let offer: ClientOffer
  /// The load of the client.
  public let load: AppTransportSecurity.Load
  /// The newest version of the hello; nil if it equals that of the recorded hello.
  public let limitedTo: ProtocolVersion?
  /// Whether App Transport Security removed something from the offer.
  public let isNarrowed: Bool
}

extension ClientEndpoint.Configuration {
  /// The recorded hello on which the client's is based; nil for a client without a system.
  public var helloOrigin: HelloOrigin? {
    guard let offer else { return nil }
    let newest = tls.versions.upperBound
    return HelloOrigin(
      offer: offer, load: load, limitedTo: newest < min(offer.maximumVersion, .tls12) ? newest : nil,
      isNarrowed: decision.requirements != nil && offer.hello != .ats9)
  }
}
