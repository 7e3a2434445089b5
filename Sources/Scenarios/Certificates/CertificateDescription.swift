import Cryptography
import Explanation
import PKIX
import Simulator
import Trust

/// A CA or another certificate as a scenario describes it.
public struct CertificateDescription: Sendable {
  /// The kind of trust that the client's store gives a certificate: by the system, or by the user.
  public enum Store: String, Sendable, CaseIterable {
    case system
    case user
    case installedNotTrusted = "installed-not-trusted"
    case distrusted
    case denied
    case asked = "ask"
    case none
  }

  /// The trust setting that a user or an administrator chose, independent of the system's trust.
  ///
  /// The setting is in Certificate Trust Settings on iOS, and in Keychain Access on macOS.
  public enum TrustSetting: String, Sendable, CaseIterable {
    case always
    case never
    case asked = "ask"
    case installed
  }

  /// An extension that a certificate issued by a scenario has by default.
  public enum CommonExtension: String, Sendable, CaseIterable {
    case basicConstraints, keyUsage, extendedKeyUsage, subjectKeyIdentifier, authorityKeyIdentifier
  }

  /// The name that the scenario's author chose for the certificate.
  public let name: String
  /// Whether the certificate is listed under `authorities`.
  public let isCA: Bool
  /// The name of the certificate's issuer; nil if the certificate is self-signed.
  public internal(set) var issuer: String?
  /// The kind and size of the certificate's key.
  public internal(set) var key: KeyKind = precomputedKey
  /// The hash algorithm of the certificate's signature, one of `signatures`.
  public internal(set) var signature: String = defaultSignature
  /// The DNS names and IP addresses in subjectAltName.
  public internal(set) var names: [String] = []
  /// The entropy of the certificate's key in bits; nil for a good random generator.
  public internal(set) var entropy: Int?
  /// The certificate whose RSA key has a prime in common with this one's key; nil for a good random generator.
  public internal(set) var sharesPrimeWith: String?
  /// Whether one prime of the RSA key is easy to find, because its predecessor has only small factors.
  public internal(set) var hasSmoothPrime = false
  /// The common name of the subject; nil for the default.
  public internal(set) var commonName: String?
  /// The start of the validity period; nil for the default.
  public internal(set) var notBefore: Instant?
  /// The end of the validity period; nil for `days` after `notBefore`.
  public internal(set) var notAfter: Instant?
  /// The length of the validity period in days; nil for the default.
  public internal(set) var days: Int?
  /// The certificate's trust in the client's store. In older files, it also contains the user's setting.
  public internal(set) var trust = Store.none
  /// The user's trust setting; nil if the file only sets `trust`.
  public internal(set) var trustSettings: TrustSetting?
  /// The systems' distrust of this certificate and of certificates that it has issued.
  public internal(set) var distrusts: [DistrustDescription] = []
  /// The URL of this CA's certificate, which the certificates that it signs contain.
  public internal(set) var issuerLocation: String?
  /// The URL of this CA's OCSP responder, which the certificates that it signs contain.
  public internal(set) var responder: String?
  /// The CRL of this CA. The certificates that it signs contain the CRL's URL.
  public internal(set) var list: PublishedCRL?
  /// The certificate whose key this one certifies. By default, both have the same name.
  public internal(set) var crossSigned: String?
  /// The names that certificates below this CA may have; nil for any name.
  public internal(set) var nameConstraints: NameConstraints?
  /// The X.509 version of the certificate; nil for version 3.
  public internal(set) var version: Int?
  /// The content octets of the serial number; nil for a random serial number.
  public internal(set) var serial: [UInt8]?
  /// The time of the certificate's revocation; nil if it was not revoked.
  public internal(set) var revoked: Instant?
  /// The reason for the revocation; nil if the CA gives none.
  public internal(set) var reason: RevocationReason?
  /// The time when the certificate was released from hold; nil if it was not released.
  public internal(set) var released: Instant?
  /// Whether a server with this certificate must staple an OCSP response (TLS feature extension, RFC 7633).
  public internal(set) var mustStaple = false
  /// The pathLenConstraint value of basicConstraints.
  public internal(set) var pathLength: Int?
  /// Whether an EC key spells out the parameters of its curve.
  public internal(set) var spellsOutCurve = false
  /// The certificate whose EC key this one has; nil for a key of its own. The key is the generator of the curve.
  public internal(set) var spoofedKey: String?
  /// Whether the certificate is a proxy certificate of its issuer (RFC 3820).
  public internal(set) var isProxy = false
  /// The bits of keyUsage that are set; nil for the default.
  public internal(set) var keyUsage: [String]?
  /// The purposes in extendedKeyUsage; nil for the default.
  public internal(set) var extendedKeyUsage: [String]?
  /// The default extensions that the certificate has; nil for all of them.
  public internal(set) var extensions: [CommonExtension]?
  /// The SCTs that are delivered with the certificate; nil if unknown.
  public internal(set) var timestamps: SCTsDescription?
  /// The intentional faults of the certificate.
  public internal(set) var faults: [CertificateFault] = []
  /// The file that contains the certificate; nil if the scenario issues it.
  public internal(set) var pem: FileReference?
  /// The file that contains the certificate's private key.
  public internal(set) var privateKey: FileReference?
  /// The place of the certificate's entry in the scenario file.
  public let mark: SourceMark

  /// Every kind of trust that the client's store gives the certificate: by the system, and by the user.
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

  /// Returns whether the certificate has an extension that no other setting requires.
  func has(_ usual: CommonExtension) -> Bool { extensions?.contains(usual) ?? true }

  /// Whether the certificate contains the URL of an OCSP responder or a CRL.
  var namesStatus: Bool { responder != nil || list != nil }

  /// Returns whether third parties can compute the certificate's private key.
  func isWeak(against attackers: AttackersDescription) -> Bool {
    sharesPrimeWith != nil || hasSmoothPrime || entropy.map { $0 <= attackers.budget } ?? false
  }

  init(name: String, isCA: Bool, mark: SourceMark) {
    self.name = name
    self.isCA = isCA
    self.mark = mark
  }
}

/// The default values of a certificate's settings.
extension CertificateDescription {
  private var isRoot: Bool { isCA && issuer == nil }

  /// The default kind of key.
  static let precomputedKey = KeyKind.rsa(2048)
  /// The default hash algorithm of the signature.
  static let defaultSignature = "sha256"
  /// The default length of the validity period in days.
  var defaultDays: Int { isCA ? (isRoot ? 7300 : 3650) : 365 }
  /// The scope of the certificate's key and of its encoded bytes.
  var scope: ValueScope { ValueScope(name) }
  /// The default common name of the subject.
  var defaultCommonName: String { names.first { !$0.hasPrefix("DNS:") } ?? name }
  /// The default bits of keyUsage.
  var defaultKeyUsage: [String] { isCA ? ["keyCertSign", "cRLSign"] : ["digitalSignature", "keyEncipherment"] }
  /// The default purposes of extendedKeyUsage; nil for no extension.
  var defaultPurposes: [String]? { isCA ? nil : ["serverAuth"] }

  /// Returns the default start of the validity period, relative to the file's own clock. A case can thus set a clock
  /// after the expiry.
  func defaultStart(_ epoch: Instant) -> Instant { epoch.adding(days: -(isCA ? (isRoot ? 3650 : 1825) : 30)) }

  /// Returns the validity period of a certificate in a hierarchy dated at `epoch`.
  func validity(_ epoch: Instant) -> (notBefore: Instant, notAfter: Instant) {
    let start = notBefore ?? defaultStart(epoch)
    return (start, notAfter ?? start.adding(days: days ?? defaultDays))
  }
}

/// The systems' distrust of a CA or a certificate, as a scenario describes it.
public struct DistrustDescription: Sendable, Hashable {
  /// The first day on which the distrust is in force; nil if it is always in force.
  public internal(set) var from: Instant?
  /// The first release of each system that has the distrust; empty if every release has it.
  public internal(set) var since: [OSVersion] = []
  /// The first issuance date of the distrusted certificates; nil for no limit.
  public internal(set) var issuedFrom: Instant?
  /// The date before which distrusted certificates were issued; nil for no limit.
  public internal(set) var issuedBefore: Instant?
  /// The certificates that exempt a path from the distrust.
  public internal(set) var except: [String] = []
}

/// The kind and size of a key, as written in a scenario.
public enum KeyKind: Sendable, Hashable, CustomStringConvertible {
  /// An RSA key with a modulus of this many bits: `rsa-2048`.
  case rsa(Int)
  /// A key on an elliptic curve: `ec-p256`.
  case ec(EllipticCurve)
  /// An Ed25519 key (RFC 8410): `ed25519`.
  case ed25519

  /// Whether the key is an RSA key.
  var isRSA: Bool { if case .rsa = self { true } else { false } }

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

  /// Whether the key is an EC key for ECDSA.
  var isOnCurve: Bool { if case .ec = self { true } else { false } }

  /// The key kind as written in a scenario.
  public var description: String {
    switch self {
    case .rsa(let bits): "rsa-\(bits)"
    case .ec(let curve): "ec-\(curve)".lowercased()
    case .ed25519: "ed25519"
    }
  }
}

/// A file named in a scenario, with a path relative to the scenario's own folder.
public struct FileReference: Sendable, Hashable {
  /// The path with which the file is opened.
  public let path: String
  /// The place in the scenario that names the file.
  public let mark: SourceMark
}
