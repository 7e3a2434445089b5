import Cryptography
import Explanation
import TLS
import Trust

/// A recorded ClientHello of a release of Apple's systems.
///
/// The recording omits the values that change with every connection: random, session id, server name, key shares, and
/// GREASE values.
///
/// The source is the client simulation of testssl.sh (`etc/client-simulation.txt`). The older hellos come from SSL
/// Labs' client tests; the newer ones were captured. All hellos are those of the browser, except for an app on iOS 9
/// under App Transport Security and for Mail.
public struct RecordedHello: Sendable, Hashable {
  /// The source's names for the clients that sent the hello, such as `Safari 8 iOS 8.4`.
  public let recordings: [String]
  /// The version of the record.
  public let recordVersion: ProtocolVersion
  /// `client_version`.
  public let clientVersion: ProtocolVersion
  /// The lowest version that the client is known to accept.
  public let lowestVersion: ProtocolVersion
  /// The suites in order, including SCSVs.
  public let cipherSuites: [CipherSuite]
  /// The groups in order.
  public let groups: [NamedGroup]
  /// The groups of the key shares in order; empty if the extension is absent.
  public let keyShareGroups: [NamedGroup]
  /// The signature schemes in order. Since iOS 12.2, one of them occurs twice.
  public let signatureSchemes: [SignatureScheme]
  /// The versions in `supported_versions`; empty if the extension is absent.
  public let supportedVersions: [ProtocolVersion]
  /// The application protocols (ALPN); empty if the extension is absent.
  public let applicationProtocols: [ApplicationProtocol]
  /// The extensions in order, including those of GREASE.
  public let extensionTypes: [ExtensionType]
  /// Whether the TLS stack pads its hellos (RFC 7685).
  public let isPadded: Bool

  init(
    _ recordings: [String], record: ProtocolVersion = .tls10, version: ProtocolVersion = .tls12,
    lowest: ProtocolVersion, suites: String, groups: String, shares: String = "",
    signatures: String = "", versions: [ProtocolVersion] = [], protocols: String = "", extensions: String,
    isPadded: Bool = false
  ) {
    self.recordings = recordings
    recordVersion = record
    clientVersion = version
    lowestVersion = lowest
    cipherSuites = Self.numbers(suites).map(CipherSuite.init)
    self.groups = Self.numbers(groups).map(NamedGroup.init)
    keyShareGroups = Self.numbers(shares).map(NamedGroup.init)
    signatureSchemes = Self.numbers(signatures).compactMap(SignatureScheme.init)
    supportedVersions = versions
    applicationProtocols = protocols.split(separator: " ").map { ApplicationProtocol(String($0)) }
    extensionTypes = extensions.split(separator: " ").compactMap { UInt16($0) }.map(ExtensionType.init)
    self.isPadded = isPadded
  }

  private static func numbers(_ text: String) -> [UInt16] {
    text.split(whereSeparator: \.isWhitespace).compactMap { UInt16($0, radix: 16) }
  }

  /// Returns the source's name for the client nearest to `os`. A client of the same family is preferred.
  public func recording(for os: OSVersion) -> String {
    let families = os.family == .macOS ? [" (macOS", "OS X"] : ["iOS"]
    return recordings.first { name in families.contains(where: name.contains) } ?? recordings.first ?? ""
  }

  /// The newest version that the hello offers.
  public var highestVersion: ProtocolVersion { supportedVersions.max() ?? clientVersion }

  /// The algorithms with which the server may compress its certificate.
  public var certificateCompression: [CertificateCompression] {
    extensionTypes.contains(.compressCertificate) ? [.zlib] : []
  }

  /// The layout of the hello.
  public var layout: ClientHelloTemplate {
    ClientHelloTemplate(
      recordVersion: recordVersion, extensions: extensionTypes.map(content),
      hasGrease: extensionTypes.contains(Self.firstGrease), isPadded: isPadded)
  }

  private func content(of type: ExtensionType) -> Extension {
    switch type {
    case .serverName: .serverName(nil)
    case .supportedGroups: .supportedGroups([])
    case .ecPointFormats: .ecPointFormats([0])
    case .signatureAlgorithms: .signatureAlgorithms([])
    case .applicationProtocols: .applicationProtocols([])
    case .supportedVersions: .supportedVersions([])
    case .renegotiationInfo: .renegotiationInfo([])
    case .keyShare: .tls13(.keyShares([]))
    case .pskKeyExchangeModes: .tls13(.pskKeyExchangeModes([]))
    case .compressCertificate: .tls13(.certificateCompression([]))
    default: Extension(type, content: Self.data[type] ?? [])
    }
  }

  /// The contents of other extensions that do not differ between hellos.
  private static let data: [ExtensionType: [UInt8]] = [
    .statusRequest: [1, 0, 0, 0, 0],  // ocsp, no responders named, no extensions: RFC 6066 section 8
    lastGrease: [0],
  ]
  private static let firstGrease = ExtensionType(rawValue: 0x0a0a)
  private static let lastGrease = ExtensionType(rawValue: 0x1a1a)
}

extension RecordedHello {
  /// The relation of a recorded hello to the release that it represents.
  public enum Basis: Sendable, Hashable {
    /// The hello was recorded from the release itself.
    case recorded
    /// The hello was recorded from an earlier release, without a recording between the two.
    case earlier(OSVersion)
    /// The hello was recorded from the other family's release of the same generation.
    case sameGeneration(OSVersion)
    /// The hello was recorded from a later release, because there is no earlier recording.
    case later(OSVersion)
  }

  /// Returns the hello that represents `os` without App Transport Security, and its relation to that release.
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

  /// The first release of a family that a hello represents, and the relation of the two.
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
    // TLS 1.2 was introduced in iOS 5 (Apple's Technical Note TN2287), before the first recorded hello of iOS.
    Row(OSVersion(.iOS, 5), ios5, .later(OSVersion(.iOS, 5, 1))), Row(OSVersion(.iOS, 5, 1), ios5),
    Row(OSVersion(.iOS, 6), ios6), Row(OSVersion(.iOS, 7), ios7, .sameGeneration(OSVersion(.macOS, 10, 9))),
    Row(OSVersion(.iOS, 7, 1), ios7), Row(OSVersion(.iOS, 8), ios8), Row(OSVersion(.iOS, 8, 4), ios8),
    Row(OSVersion(.iOS, 9), ios9), Row(OSVersion(.iOS, 10), ios10),
    Row(OSVersion(.iOS, 11), macOS1013, .sameGeneration(OSVersion(.macOS, 10, 13))),
    Row(OSVersion(.iOS, 12, 2), ios12),
    Row(OSVersion(.iOS, 15, 4), macOS123, .sameGeneration(OSVersion(.macOS, 12, 3))),
    Row(OSVersion(.iOS, 18, 4), ios18), Row(OSVersion(.iOS, 26), ios26, .later(OSVersion(.iOS, 26, 4))),
    Row(OSVersion(.iOS, 26, 4), ios26),
  ]

  /// The hellos of macOS.
  ///
  /// TLS 1.3 was introduced with 10.14.4, but `OSVersion` has no third number. The hello of 10.14.6 therefore
  /// represents the releases after 10.14.
  private static let macOS = [
    Row(OSVersion(.macOS, 10), osx106, .later(OSVersion(.macOS, 10, 6))), Row(OSVersion(.macOS, 10, 6), osx106),
    Row(OSVersion(.macOS, 10, 8), osx108), Row(OSVersion(.macOS, 10, 9), ios7), Row(OSVersion(.macOS, 10, 10), ios8),
    Row(OSVersion(.macOS, 10, 11), ios9), Row(OSVersion(.macOS, 10, 12), ios10),
    Row(OSVersion(.macOS, 10, 13), macOS1013),
    Row(OSVersion(.macOS, 10, 15), ios12, .earlier(OSVersion(.macOS, 10, 14))),
    Row(OSVersion(.macOS, 12, 3), macOS123), Row(OSVersion(.macOS, 15, 4), ios18),
    Row(OSVersion(.macOS, 26), ios26, .later(OSVersion(.macOS, 26, 4))),
    Row(OSVersion(.macOS, 26, 4), ios26),
  ]
}
