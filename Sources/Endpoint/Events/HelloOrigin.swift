import TLS
import URLLoading

/// The recorded ClientHello on which a system's ClientHello is based, and the differences between them.
public struct HelloOrigin: Sendable {
  /// The offer that the system makes.
  public let offer: ClientOffer
  /// The load for which the client makes the offer.
  public let load: AppTransportSecurity.Load
  /// The newest version in the ClientHello; nil if it equals that in the recorded one.
  public let limitedTo: ProtocolVersion?
  /// Whether App Transport Security removed a part of the offer.
  public let isNarrowed: Bool
}

extension ClientEndpoint.Configuration {
  /// The recorded ClientHello on which the client's is based; nil for a client that simulates no system.
  public var helloOrigin: HelloOrigin? {
    guard let offer else { return nil }
    let newest = tls.versions.upperBound
    return HelloOrigin(
      offer: offer, load: load, limitedTo: newest < offer.maximumVersion ? newest : nil,
      isNarrowed: decision.requirements != nil && offer.hello != .ats9)
  }
}
