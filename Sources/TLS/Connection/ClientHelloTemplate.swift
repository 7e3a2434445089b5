import Cryptography
import Explanation

/// The layout of a ClientHello: the order of its extensions, and the content that is not negotiated.
///
/// The client may choose the layout freely (RFC 5246 section 7.4.1.4). An observer can recognise an implementation by
/// it.
public struct ClientHelloTemplate: Sendable, Hashable {
  /// The version in the header of the record that contains the ClientHello (RFC 5246 appendix E.1).
  public var recordVersion: ProtocolVersion
  /// The extensions in the order in which they are sent.
  ///
  /// The client fills in the host, groups, signature schemes, application protocols and the content for TLS 1.3, and
  /// omits an extension that would be empty. If the client accepts only versions beyond `client_version`, it also omits the versions, unless
  /// this list names their extension.
  public var extensions: [Extension]
  /// Whether GREASE values precede the suites, groups and versions, and GREASE extensions are included.
  public var hasGrease: Bool
  /// Whether a ClientHello of 256 to 511 bytes is padded to 512, because some servers hang otherwise (RFC 7685).
  public var isPadded: Bool

  /// Creates a layout.
  public init(
    recordVersion: ProtocolVersion = .tls10, extensions: [Extension], hasGrease: Bool = false, isPadded: Bool = false
  ) {
    self.recordVersion = recordVersion
    self.extensions = extensions
    self.hasGrease = hasGrease
    self.isPadded = isPadded
  }

  /// The layout of a generic client.
  public static let standard = ClientHelloTemplate(extensions: [
    .serverName(nil), .supportedGroups([]), .ecPointFormats([0]), .signatureAlgorithms([]), .applicationProtocols([]),
    .supportedVersions([]), .renegotiationInfo([]), .tls13(.keyShares([])), .tls13(.pskKeyExchangeModes([])),
  ])
}

extension ClientConfiguration {
  /// Adds or removes the extended_master_secret extension.
  public mutating func setExtendedMasterSecret(_ offers: Bool) {
    extendedMasterSecret = offers
    if !offers { layout.extensions.removeAll { $0.type == .extendedMasterSecret } }
  }

  /// Whether the ClientHello has the extended_master_secret extension.
  public var offersExtendedMasterSecret: Bool {
    extendedMasterSecret || layout.extensions.contains { $0.type == .extendedMasterSecret }
  }

  /// The ClientHello of this configuration (RFC 5246 section 7.4.1.2).
  func clientHello(random: [UInt8], shares: [KeyShareEntry] = []) -> ClientHello {
    let grease = layout.hasGrease ? Grease(self.random) : nil
    let extensions = offeredExtensions(grease, shares)
    let newest = min(versions.upperBound, .tls12)
    // If TLS 1.2 is not offered, suites that require it are not offered either: RFC 5246 appendix A.5.
    let suites = newest < .tls12 ? cipherSuites.filter { $0.isUsable(in: newest) || $0.isSignalling } : cipherSuites
    return ClientHello(
      clientVersion: newest, random: random, sessionID: offeredSessionID,
      cipherSuites: (grease.map { [CipherSuite(rawValue: $0.cipherSuite)] } ?? []) + suites,
      extensions: extensions.isEmpty ? nil : extensions)
  }

  /// The ID of the session to resume. In TLS 1.3, the ID only makes the handshake look like an older one to devices on
  /// the path (RFC 8446 appendix D.4).
  private var offeredSessionID: [UInt8] {
    if case .tls12(let session)? = resumable { return session.id }
    guard offersTLS13, usesCompatibilityMode else { return [] }
    return random.bytes(for: ValueName(.legacySessionID), count: 32)
  }

  /// Whether the client offers TLS 1.3.
  var offersTLS13: Bool { versions.upperBound >= .tls13 }

  var offeredVersions: [ProtocolVersion] { ProtocolVersion.known.filter(versions.contains).reversed() }

  private func offeredExtensions(_ grease: Grease?, _ shares: [KeyShareEntry]) -> [Extension] {
    var reserved = grease?.extensions[...] ?? []
    var offered = layout.extensions.compactMap { item -> Extension? in
      guard item.type.rawValue.isGrease, case .other(_, let data) = item else {
        return filled(item, grease, shares)
      }
      return reserved.popFirst().map { .other(type: ExtensionType(rawValue: $0), data: data) }
    }
    let wanted = [(encryptThenMAC, Extension.encryptThenMAC), (extendedMasterSecret, .extendedMasterSecret)]
      .filter(\.0).map(\.1)
    let protocols = applicationProtocols.isEmpty ? [] : [Extension.applicationProtocols(applicationProtocols)]
    for item in protocols + wanted + optional13 where !offered.contains(where: { $0.type == item.type }) {
      offered.append(item)
    }
    return offered
  }

  /// An extension of the layout with its content from the configuration; nil if there is no content.
  private func filled(_ item: Extension, _ grease: Grease?, _ shares: [KeyShareEntry]) -> Extension? {
    switch item {
    case .serverName: return ServerName.hostName(host).map(Extension.serverName)
    case .supportedGroups:
      let first = grease.map { [NamedGroup(rawValue: $0.group)] } ?? []
      return offeredGroups.isEmpty ? nil : .supportedGroups(first + offeredGroups)
    case .ecPointFormats: return !offeredGroups.isEmpty && usesCurves ? item : nil
    case .signatureAlgorithms(let listed) where !listed.isEmpty: return .signatureAlgorithms(listed)
    case .signatureAlgorithms:
      // RFC 5246 section 7.4.1.4.1: clients that do not offer TLS 1.2 must not send signature_algorithms.
      guard !signatureSchemes.isEmpty, versions.upperBound >= .tls12 else { return nil }
      return .signatureAlgorithms(signatureSchemes.map(SignatureAndHashAlgorithm.init))
    case .applicationProtocols: return applicationProtocols.isEmpty ? nil : .applicationProtocols(applicationProtocols)
    case .supportedVersions(let listed):
      let first = grease.map { [ProtocolVersion(rawValue: $0.version)] } ?? []
      if !listed.isEmpty { return .supportedVersions(first + listed) }
      return offersTLS13 ? .supportedVersions(first + offeredVersions) : nil
    case .tls13(.keyShares):
      guard offersTLS13 else { return nil }
      let first = grease.map { [KeyShareEntry(group: NamedGroup(rawValue: $0.group), keyExchange: [0])] } ?? []
      return .tls13(.keyShares(first + shares))
    case .tls13(.pskKeyExchangeModes):
      return offersTLS13 && !pskModes.isEmpty ? .tls13(.pskKeyExchangeModes(pskModes)) : nil
    case .tls13(.certificateCompression): return offeredCompression
    default: return item
    }
  }

  /// The extensions of TLS 1.3 that only some clients send.
  private var optional13: [Extension] {
    guard offersTLS13 else { return [] }
    return [
      offeredCompression,
      recordSizeLimit.map { .tls13(.recordSizeLimit($0)) },
      authenticatesLater ? .tls13(.postHandshakeAuth) : nil,
    ].compactMap(\.self)
  }

  private var offeredCompression: Extension? {
    guard offersTLS13, !certificateCompression.isEmpty else { return nil }
    return .tls13(.certificateCompression(certificateCompression))
  }

  private var usesCurves: Bool { cipherSuites.contains(where: \.usesGroups) }
  /// The groups that at least one offered suite needs.
  private var offeredGroups: [NamedGroup] {
    let usesFields = cipherSuites.contains { $0.usesFields || $0.keyExchange == .tls13 }
    return groups.filter { $0.isFiniteField ? usesFields : usesCurves }
  }
}

extension ClientHello {
  /// The ClientHello, padded if RFC 7685 requires it.
  ///
  /// Like BoringSSL, TrustLab pads to 512 bytes, or adds one byte of padding if fewer than five bytes are missing.
  var padded: ClientHello {
    guard let count = try? HandshakeMessage(.clientHello(self)).bytes.count, (256..<512).contains(count) else {
      return self
    }
    let missing = 512 - count
    let padding = [UInt8](repeating: 0, count: missing > 4 ? missing - 4 : 1)
    var hello = self
    hello.extensions = (extensions ?? []) + [.padding(padding)]
    return hello
  }
}
