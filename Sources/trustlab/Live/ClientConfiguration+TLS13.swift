import TLS
import URLLoading

extension ClientConfiguration {
  /// Makes the client offer TLS 1.3 if the system does, with the shares and the layout of the recorded hello.
  mutating func offerTLS13(as offer: ClientOffer) {
    guard offer.maximumVersion >= .tls13 else { return }
    cipherSuites = offer.cipherSuites
    groups = offer.groups
    keyShareGroups = groups.filter { [.x25519MLKEM768, .x25519].contains($0) }
    takeLayout(of: offer)
  }

  /// Lays out the hello as the recorded one, with the extensions that its versions need.
  mutating func takeLayout(of offer: ClientOffer) {
    let offersTLS13 = versions.upperBound >= .tls13
    layout = offer.hello.layout(of: versions, offersTLS13: offersTLS13)
    guard offersTLS13 else { return groups.removeAll { $0 == .x25519MLKEM768 } }
    layout.extensions = layout.extensions.map { item in
      switch item.type {
      case .keyShare: .tls13(.keyShares([]))
      case .pskKeyExchangeModes: .tls13(.pskKeyExchangeModes([]))
      default: item
      }
    }
    if layout.extensions.contains(where: { $0.type == .compressCertificate }) { certificateCompression = [.zlib] }
  }
}
