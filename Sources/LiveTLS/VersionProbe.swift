import Cryptography
import Endpoint
import TLS

/// Sends a TLS 1.3 ClientHello with a key share to determine whether a server supports TLS 1.3 (RFC 8446 section 4.1).
///
/// TrustLab supports TLS 1.2 at most, so it ignores the server's messages after the ServerHello.
public enum VersionProbe {
  /// The configuration of the same client with TLS 1.3 added as its first choice.
  public static func probing(_ client: ClientEndpoint.Configuration) -> ClientEndpoint.Configuration {
    var probe = client
    probe.asksForContent = false
    probe.resumesSessions = false
    // A server that supports only h2 would end the handshake (RFC 7301 section 3.2), and the probe sends no data.
    probe.tls.applicationProtocols = []
    let random = RandomStreams(seed: nil, party: "probe")
    probe.tls.versions = .tls10 ... .tls13
    probe.tls.cipherSuites = suites + client.tls.cipherSuites.filter { $0.keyExchange != .tls13 }
    // Without PSS, a TLS 1.3 server with an RSA key has no signature algorithm: RFC 8446 sections 4.2.3 and 9.1.
    probe.tls.signatureSchemes += SignatureScheme.defaults.filter { !client.tls.signatureSchemes.contains($0) }
    probe.tls.groups = [.x25519] + client.tls.groups.filter { $0.isImplemented && $0 != .x25519 }
    probe.tls.layout = ClientHelloTemplate(
      extensions: ClientHelloTemplate.standard.extensions.filter { $0.type != .supportedVersions }
        + [.supportedVersions([.tls13, .tls12, .tls11, .tls10]), keyShare(random)].compactMap(\.self))
    return probe
  }

  private static let suites = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"]
    .compactMap { CipherSuite(name: $0) }

  /// The `key_share` extension with one X25519 key (section 4.2.8).
  private static func keyShare(_ random: RandomStreams) -> Extension? {
    var stream = random.stream("key_share")
    guard let key = try? KeyAgreementPrivateKey(.x25519, random: &stream) else { return nil }
    let group = NamedGroup.x25519.rawValue
    let count = UInt8(truncatingIfNeeded: key.publicKey.count)
    let entry = [UInt8(truncatingIfNeeded: group >> 8), UInt8(truncatingIfNeeded: group), 0, count] + key.publicKey
    return .other(type: .keyShare, data: [0, UInt8(truncatingIfNeeded: entry.count)] + entry)
  }
}
