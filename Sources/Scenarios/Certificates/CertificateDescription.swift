import Cryptography
import Explanation
import PKIX
import Simulator
import Trust

/// A CA or another certificate as a scenario describes it.
public struct CertificateDescription: Sendable {
  /// The place of a certificate in the client's store: that of the system, or of the user's setting.
  public enum Store: String, Sendable, CaseIterable {
    case system
    case user
    case installedNotTrusted = "installed-not-trusted"
    case distrusted
    case denied
    case asked = "ask"
    case none
  }

  /// The trust setting of the user or an administrator, independent of the system.
  ///
  /// iOS has it in Certificate Trust Settings, macOS in Keychain Access.
  public enum TrustSetting: String, Sendable, CaseIterable {
    case always
    case never
    case asked = "ask"
    case installed
  }

  /// The extensions that a certificate issued here has by default.
  public enum CommonExtension: String, Sendable, CaseIterable {
    case basicConstraints, keyUsage, extendedKeyUsage, subjectKeyIdentifier, authorityKeyIdentifier
  }

  /// The author's name for it.
  public let name: String
  /// Whether it is under `authorities`.
  public let isCA: Bool
  /// The name of its issuer; nil if it is self-signed.
  public internal(set) var issuer: String?
  /// Kind and size of its key.
  public internal(set) var key: KeyKind = precomputedKey
  /// The hash of its signature: a word of `signatures`.
  public internal(set) var signature: String = defaultSignature
  /// DNS names and IP addresses of subjectAltName.
  public internal(set) var names: [String] = []
  /// The bits of entropy of its key; nil for a good generator.
  public internal(set) var entropy: Int?
  /// The certificate whose key shares a prime with this one's; nil for a good generator.
  public internal(set) var sharesPrimeWith: String?
  /// The subject's common name; nil for the default.
  public internal(set) var commonName: String?
  /// The start of its validity; nil for the default.
  public internal(set) var notBefore: Instant?
  /// The end of its validity; nil for `days` after `notBefore`.
  public internal(set) var notAfter: Instant?
  /// The number of days of its validity; nil for the default.
  public internal(set) var days: Int?
  /// Its place in the client's store; in older files also the user's setting.
  public internal(set) var trust = Store.none
  /// The user's setting; nil if only `trust` is set.
  public internal(set) var trustSettings: TrustSetting?
  /// The systems' distrust of it and of certificates below it.
  public internal(set) var distrusts: [DistrustDescription] = []
  /// The location of its certificate, named in the certificates that it signs.
  public internal(set) var issuerLocation: String?
  /// The location of its OCSP responder, named in the certificates that it signs.
  public internal(set) var responder: String?
  /// Its CRL; the certificates that it signs name the CRL's location.
  public internal(set) var list: PublishedCRL?
  /// The certificate whose key it certifies, and whose name by default.
  public internal(set) var crossSigned: String?
  /// The names that certificates below it may have; nil for any.
  public internal(set) var nameConstraints: NameConstraints?
  /// The version; nil for 3.
  public internal(set) var version: Int?
  /// The contents of its serial number; nil for a random one.
  public internal(set) var serial: [UInt8]?
  /// The time of its revocation; nil if it was not revoked.
  public internal(set) var revoked: Instant?
  /// The reason for its revocation; nil if the CA gives none.
  public internal(set) var reason: RevocationReason?
  /// The time of its release from hold; nil if it was not released.
  public internal(set) var released: Instant?
  /// Whether its server must staple: TLS feature, RFC 7633.
  public internal(set) var mustStaple = false
  /// pathLenConstraint of basicConstraints.
  public internal(set) var pathLength: Int?
  /// Bits of keyUsage; nil for the default.
  public internal(set) var keyUsage: [String]?
  /// Purposes of extendedKeyUsage; nil for the default.
  public internal(set) var extendedKeyUsage: [String]?
  /// Its extensions among the default ones; nil for all of them.
  public internal(set) var extensions: [CommonExtension]?
  /// The SCTs that it comes with; nil if unknown.
  public internal(set) var timestamps: SCTsDescription?
  /// Its intentional faults.
  public internal(set) var faults: [CertificateFault] = []
  /// The file that it is read from; nil if it is issued here.
  public internal(set) var pem: FileReference?
  /// The file of its private key.
  public internal(set) var privateKey: FileReference?
  /// The place in the file.
  public let mark: SourceMark

  /// Every place of it in the client's store: the system's, and that of the user's setting.
  public var stores: [Store] {
    let own: Store? = trustSettings.map { setting in
      switch setting {
      case .always: .user
      case .never: .denied
      case .asked: .asked
      case .installed: .installedNotTrusted
      }
    }
    return [trust, own].compactMap(\.self).filter { $0 != Store.none }
  }

  /// Whether it has an extension, if no other word requires it.
  func has(_ usual: CommonExtension) -> Bool { extensions?.contains(usual) ?? true }

  /// Whether it names an OCSP responder or a CRL.
  var namesStatus: Bool { responder != nil || list != nil }

  /// Whether third parties can compute its private key.
  func isWeak(against attackers: AttackersDescription) -> Bool {
    sharesPrimeWith != nil || entropy.map { $0 <= attackers.budget } ?? false
  }

  init(name: String, isCA: Bool, mark: SourceMark) {
    self.name = name
    self.isCA = isCA
    self.mark = mark
  }
}

/// Default values of certificates.
extension CertificateDescription {
  private var isRoot: Bool { isCA && issuer == nil }

  /// The kind of its key.
  static let precomputedKey = KeyKind.rsa(2048)
  /// The hash of its signature.
  static let defaultSignature = "sha256"
  /// The number of days of its validity.
  var defaultDays: Int { isCA ? (isRoot ? 7300 : 3650) : 365 }
  /// The scope of its key and its bytes.
  var scope: ValueScope { ValueScope(name) }
  /// The subject's common name.
  var defaultCommonName: String { names.first { !$0.hasPrefix("DNS:") } ?? name }
  /// Bits of keyUsage.
  var defaultKeyUsage: [String] { isCA ? ["keyCertSign", "cRLSign"] : ["digitalSignature", "keyEncipherment"] }
  /// Purposes of extendedKeyUsage; nil for no extension.
  var defaultPurposes: [String]? { isCA ? nil : ["serverAuth"] }

  /// The start of its validity, relative to the file's own clock. A case can thus move the clock past it.
  func defaultStart(_ epoch: Instant) -> Instant { epoch.adding(days: -(isCA ? (isRoot ? 3650 : 1825) : 30)) }

  /// The validity period for an epoch.
  func validity(_ epoch: Instant) -> (notBefore: Instant, notAfter: Instant) {
    let start = notBefore ?? defaultStart(epoch)
    return (start, notAfter ?? start.adding(days: days ?? defaultDays))
  }
}

/// The systems' distrust of a CA or a certificate, as a scenario describes it.
public struct DistrustDescription: Sendable, Hashable {
  /// The first day on which it is in force; nil for always.
  public internal(set) var from: Instant?
  /// The first releases with it; empty for every system.
  public internal(set) var since: [OSVersion] = []
  /// Limits it to certificates issued on this day or later.
  public internal(set) var issuedFrom: Instant?
  /// Limits it to certificates issued before this day.
  public internal(set) var issuedBefore: Instant?
  /// Certificates that exempt a path from it.
  public internal(set) var except: [String] = []
}

/// Kind and size of a key, as a scenario writes it.
public enum KeyKind: Sendable, Hashable, CustomStringConvertible {
  /// RSA with a modulus of that many bits: `rsa-2048`.
  case rsa(Int)
  /// A key on a curve: `ec-p256`.
  case ec(EllipticCurve)
  /// An Ed25519 key, RFC 8410: `ed25519`.
  case ed25519

  /// Reads `rsa-2048` (512 to 8192 bits), `ec-p256`, `ec-p384`, `ec-p521` or `ed25519`; nil for anything else.
  public init?(_ text: String) {
    switch text {
    case "ec-p256": self = .ec(.p256)
    case "ec-p384": self = .ec(.p384)
    case "ec-p521": self = .ec(.p521)
    case "ed25519": self = .ed25519
    default:
      guard text.hasPrefix("rsa-"), let bits = Int(text.dropFirst(4)), (512...8192).contains(bits) else { return nil }
      self = .rsa(bits)
    }
  }

  /// As a scenario writes it.
  public var description: String {
    switch self {
    case .rsa(let bits): "rsa-\(bits)"
    case .ec(let curve): "ec-\(curve)".lowercased()
    case .ed25519: "ed25519"
    }
  }
}

/// A file that a scenario names, resolved relative to the scenario's own folder.
public struct FileReference: Sendable, Hashable {
  /// The path to open.
  public let path: String
  /// The place of its name in the scenario.
  public let mark: SourceMark
}
