import Cryptography
import Explanation
import TLS
import Trust

/// A ClientHello as a release of Apple's systems was seen to send it, without what is new in every connection: random,
/// session id, server name, key shares, and the values of GREASE.
///
/// Source: the client simulation of testssl.sh (`etc/client-simulation.txt`). The older hellos are those of SSL Labs'
/// client tests, the newer ones were captured. All are the browser's, but for that of an app on iOS 9 under App Transport
/// Security and that of Mail.
public struct RecordedHello: Sendable, Hashable {
  /// What the source calls the clients that were seen to send it: `Safari 8 iOS 8.4`.
  public let recordings: [String]
  /// The version of the record.
  public let recordVersion: ProtocolVersion
  /// `client_version`.
  public let clientVersion: ProtocolVersion
  /// The lowest version that the client was seen to accept.
  public let lowestVersion: ProtocolVersion
  /// The suites in order, signals among them.
  public let cipherSuites: [CipherSuite]
  /// The groups in order.
  public let groups: [NamedGroup]
  /// The signatures in order; one stands there twice since iOS 12.2.
  public let signatureSchemes: [SignatureScheme]
  /// What `supported_versions` lists; empty without that extension.
  public let supportedVersions: [ProtocolVersion]
  /// The protocols inside; empty without that extension.
  public let applicationProtocols: [ApplicationProtocol]
  /// The extensions in order, those of GREASE among them.
  public let extensionTypes: [ExtensionType]
  /// Whether the stack pads its hellos: RFC 7685.
  public let isPadded: Bool

  init(
    _ recordings: [String], record: ProtocolVersion = .tls10, version: ProtocolVersion = .tls12,
    lowest: ProtocolVersion, suites: String, groups: String, signatures: String = "",
    versions: [ProtocolVersion] = [], protocols: String = "", extensions: String, isPadded: Bool = false
  ) {
    self.recordings = recordings
    recordVersion = record
    clientVersion = version
    lowestVersion = lowest
    cipherSuites = Self.numbers(suites).map(CipherSuite.init)
    self.groups = Self.numbers(groups).map(NamedGroup.init)
    signatureSchemes = Self.numbers(signatures).compactMap(SignatureScheme.init)
    supportedVersions = versions
    applicationProtocols = protocols.split(separator: " ").map { ApplicationProtocol(String($0)) }
    extensionTypes = extensions.split(separator: " ").compactMap { UInt16($0) }.map(ExtensionType.init)
    self.isPadded = isPadded
  }

  private static func numbers(_ text: String) -> [UInt16] {
    text.split(whereSeparator: \.isWhitespace).compactMap { UInt16($0, radix: 16) }
  }

  /// What the source calls the client that is nearest to `os`: one of its family, where there is one.
  public func recording(for os: OSVersion) -> String {
    let families = os.family == .macOS ? [" (macOS", "OS X"] : ["iOS"]
    return recordings.first { name in families.contains(where: name.contains) } ?? recordings.first ?? ""
  }

  /// The newest version on offer.
  public var highestVersion: ProtocolVersion { supportedVersions.max() ?? clientVersion }

  /// The way the hello is laid out; without what only TLS 1.3 has use for, where that is not offered: its version, key
  /// shares and the modes of pre-shared keys (RFC 8446 section 4.2).
  public func layout(of versions: ClosedRange<ProtocolVersion>, offersTLS13: Bool) -> HelloLayout {
    let listed = ProtocolVersion.known.filter { versions.contains($0) && (offersTLS13 || $0 < .tls13) }
    let types = extensionTypes.filter { offersTLS13 || !Self.onlyTLS13.contains($0) }
    return HelloLayout(
      recordVersion: recordVersion, extensions: types.map { content(of: $0, listing: listed.reversed()) },
      hasGrease: types.contains(Self.firstGrease), isPadded: isPadded)
  }

  private func content(of type: ExtensionType, listing versions: [ProtocolVersion]) -> Extension {
    switch type {
    case .serverName: .serverName(nil)
    case .supportedGroups: .supportedGroups([])
    case .ecPointFormats: .ecPointFormats([0])
    case .signatureAlgorithms: .signatureAlgorithms([])
    case .applicationProtocols: .applicationProtocols([])
    case .supportedVersions: .supportedVersions(versions)
    case .renegotiationInfo: .renegotiationInfo([])
    default: Extension(type, content: Self.data[type] ?? [])
    }
  }

  /// What stands in extensions that say the same in every hello that has them.
  private static let data: [ExtensionType: [UInt8]] = [
    .statusRequest: [1, 0, 0, 0, 0],  // ocsp, no responders named, no extensions: RFC 6066 section 8
    .pskKeyExchangeModes: [1, 1],  // psk_dhe_ke
    // No key is made for what is not played; a client may ask for a group so: RFC 8446 section 4.2.8.
    .keyShare: [0, 0],
    .compressCertificate: [2, 0, 1],  // zlib: RFC 8879 section 3
    lastGrease: [0],
  ]
  private static let onlyTLS13: Set<ExtensionType> = [.keyShare, .pskKeyExchangeModes]
  private static let firstGrease = ExtensionType(rawValue: 0x0a0a)
  private static let lastGrease = ExtensionType(rawValue: 0x1a1a)
}

extension RecordedHello {
  /// How a hello comes to stand for a release.
  public enum Basis: Sendable, Hashable {
    /// It was recorded of that release.
    case recorded
    /// It was recorded of an earlier one, and none between is on record.
    case earlier(OSVersion)
    /// It was recorded of the release of the other family that shares its time.
    case sameGeneration(OSVersion)
    /// It was recorded of a later release, before which none is on record.
    case later(OSVersion)
  }

  /// The hello that stands for what `os` sends by itself, and how it comes to.
  public static func standing(for os: OSVersion) -> (hello: RecordedHello, basis: Basis) {
    let rows = os.family == .macOS ? macOS : iOS
    guard os.family != .documentation, let row = rows.last(where: { $0.since <= os }) ?? rows.first else {
      return (ats9, .recorded)
    }
    switch row.basis {
    case .recorded where row.since == os: return (row.hello, .recorded)
    case .recorded: return (row.hello, .earlier(row.since))
    default: return (row.hello, row.basis)
    }
  }

  /// From which release on a hello stands for a family's, and how it comes to.
  private struct Row: Sendable {
    let since: OSVersion
    let hello: RecordedHello
    let basis: Basis

    init(_ since: OSVersion, _ hello: RecordedHello, _ basis: Basis = .recorded) {
      self.since = since
      self.hello = hello
      self.basis = basis
    }
  }

  private static let iOS = [
    Row(OSVersion(.iOS, 2), osx106, .sameGeneration(OSVersion(.macOS, 10, 6))),
    // TLS 1.2 came with iOS 5 (Apple's Technical Note TN2287), before the first hello of iOS on record.
    Row(OSVersion(.iOS, 5), ios5, .later(OSVersion(.iOS, 5, 1))), Row(OSVersion(.iOS, 5, 1), ios5),
    Row(OSVersion(.iOS, 6), ios6), Row(OSVersion(.iOS, 7), ios7, .sameGeneration(OSVersion(.macOS, 10, 9))),
    Row(OSVersion(.iOS, 7, 1), ios7), Row(OSVersion(.iOS, 8), ios8), Row(OSVersion(.iOS, 8, 4), ios8),
    Row(OSVersion(.iOS, 9), ios9), Row(OSVersion(.iOS, 10), ios10),
    Row(OSVersion(.iOS, 11), macOS1013, .sameGeneration(OSVersion(.macOS, 10, 13))),
    Row(OSVersion(.iOS, 12, 2), ios12),
    Row(OSVersion(.iOS, 15, 4), macOS123, .sameGeneration(OSVersion(.macOS, 12, 3))),
    Row(OSVersion(.iOS, 18, 4), ios18), Row(OSVersion(.iOS, 26, 4), ios26),
  ]

  /// The third number of a release is not kept: the hello of 10.14.6 stands for what came after 10.14, for TLS 1.3 came
  /// with 10.14.4.
  private static let macOS = [
    Row(OSVersion(.macOS, 10), osx106, .later(OSVersion(.macOS, 10, 6))), Row(OSVersion(.macOS, 10, 6), osx106),
    Row(OSVersion(.macOS, 10, 8), osx108), Row(OSVersion(.macOS, 10, 9), ios7), Row(OSVersion(.macOS, 10, 10), ios8),
    Row(OSVersion(.macOS, 10, 11), ios9), Row(OSVersion(.macOS, 10, 12), ios10),
    Row(OSVersion(.macOS, 10, 13), macOS1013),
    Row(OSVersion(.macOS, 10, 15), ios12, .earlier(OSVersion(.macOS, 10, 14))),
    Row(OSVersion(.macOS, 12, 3), macOS123), Row(OSVersion(.macOS, 15, 4), ios18),
    Row(OSVersion(.macOS, 26, 4), ios26),
  ]
}
