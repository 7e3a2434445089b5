import Cryptography
import Explanation
import PKIX
import Simulator
import Trust

/// An authority or a certificate as a scenario describes it.
public struct CertificateDescription: Sendable {
  /// Where the client's store has a certificate: what the system came with, or what its user made of it.
  public enum Store: String, Sendable, CaseIterable {
    case system
    case user
    case installedNotTrusted = "installed-not-trusted"
    case distrusted
    case denied
    case asked = "ask"
    case none
  }

  /// What the user or an administrator set for a certificate, whatever the system has: Certificate Trust Settings of
  /// iOS, Keychain Access of macOS.
  public enum TrustSetting: String, Sendable, CaseIterable {
    case always
    case never
    case asked = "ask"
    case installed
  }

  /// The extensions that a certificate issued here has where nothing else is said.
  public enum UsualExtension: String, Sendable, CaseIterable {
    case basicConstraints, keyUsage, extendedKeyUsage, subjectKeyIdentifier, authorityKeyIdentifier
  }

  /// The author's name for it.
  public let name: String
  /// Whether it stands under `authorities`.
  public let isAuthority: Bool
  /// Who signs it; nil when it signs itself.
  public internal(set) var issuer: String?
  /// Kind and size of its key.
  public internal(set) var key: KeyKind = usualKey
  /// The hash of its signature: a word of `signatures`.
  public internal(set) var signature: String = usualSignature
  /// DNS names and IP addresses of subjectAltName.
  public internal(set) var names: [String] = []
  /// The bits of entropy its key was made with; nil for a good generator.
  public internal(set) var entropy: Int?
  /// The certificate whose key has a prime in common with this one's; nil for a good generator.
  public internal(set) var sharesPrimeWith: String?
  /// The subject's common name; nil for the usual one.
  public internal(set) var commonName: String?
  /// When it becomes valid; nil for the usual day.
  public internal(set) var notBefore: Instant?
  /// When it expires; nil for `days` after `notBefore`.
  public internal(set) var notAfter: Instant?
  /// How many days it is valid; nil for the usual number.
  public internal(set) var days: Int?
  /// Where the client's store has it; in older files also what the user set.
  public internal(set) var trust = Store.none
  /// What the user set for it; nil where nothing is said beside `trust`.
  public internal(set) var trustSettings: TrustSetting?
  /// What systems were told not to trust of it and of what it signed.
  public internal(set) var distrusts: [DistrustDescription] = []
  /// Where its certificate can be fetched; what it signs says so.
  public internal(set) var issuerLocation: String?
  /// Where its responder answers; what it signs says so.
  public internal(set) var responder: String?
  /// Its list of revoked certificates; what it signs says where it is.
  public internal(set) var list: PublishedList?
  /// The certificate whose key it is for, and whose name where no other is given.
  public internal(set) var crossSigned: String?
  /// The names that certificates below it may have; nil where any will do.
  public internal(set) var nameConstraints: NameConstraints?
  /// The version; nil for 3.
  public internal(set) var version: Int?
  /// The contents of its serial number; nil for a drawn one.
  public internal(set) var serial: [UInt8]?
  /// When its authority revoked it; nil when it did not.
  public internal(set) var revoked: Instant?
  /// Why it was revoked; nil where its authority does not say.
  public internal(set) var reason: RevocationReason?
  /// When its authority took it off the list again; nil when it did not.
  public internal(set) var released: Instant?
  /// Whether it says that its server staples: TLS feature, RFC 7633.
  public internal(set) var mustStaple = false
  /// pathLenConstraint of basicConstraints.
  public internal(set) var pathLength: Int?
  /// Bits of keyUsage; nil for the usual ones.
  public internal(set) var keyUsage: [String]?
  /// Purposes of extendedKeyUsage; nil for the usual ones.
  public internal(set) var extendedKeyUsage: [String]?
  /// Those of the usual extensions that it has; nil for all of them.
  public internal(set) var extensions: [UsualExtension]?
  /// The signed certificate timestamps it comes with; nil where nobody says.
  public internal(set) var timestamps: TimestampsDescription?
  /// How it is broken on purpose.
  public internal(set) var faults: [CertificateFault] = []
  /// The file it is read from instead of being issued.
  public internal(set) var pem: FileReference?
  /// The file of its private key.
  public internal(set) var privateKey: FileReference?
  /// Where it stands in the file.
  public let mark: SourceMark

  /// Every place that the client's store has it in: the system's, and what the user made of it.
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

  /// Whether it has an extension where no other word asks for it.
  func has(_ usual: UsualExtension) -> Bool { extensions?.contains(usual) ?? true }

  /// Whether it says where to ask what it has revoked.
  var namesStatus: Bool { responder != nil || list != nil }

  /// Whether third parties can compute its private key.
  func isWeak(against attackers: AttackersDescription) -> Bool {
    sharesPrimeWith != nil || entropy.map { $0 <= attackers.budget } ?? false
  }

  init(name: String, isAuthority: Bool, mark: SourceMark) {
    self.name = name
    self.isAuthority = isAuthority
    self.mark = mark
  }
}

/// What a certificate is given where a scenario does not say.
extension CertificateDescription {
  private var isRoot: Bool { isAuthority && issuer == nil }

  /// The kind of its key.
  static let usualKey = KeyKind.rsa(2048)
  /// The hash of its signature.
  static let usualSignature = "sha256"
  /// How many days it is valid.
  var usualDays: Int { isAuthority ? (isRoot ? 7300 : 3650) : 365 }
  /// The scope of its key and its bytes among the values.
  var scope: ValueScope { ValueScope(name) }
  /// The subject's common name.
  var usualCommonName: String { names.first { !$0.hasPrefix("DNS:") } ?? name }
  /// Bits of keyUsage.
  var usualKeyUsage: [String] { isAuthority ? ["keyCertSign", "cRLSign"] : ["digitalSignature", "keyEncipherment"] }
  /// Purposes of extendedKeyUsage; nil where the extension is left out.
  var usualPurposes: [String]? { isAuthority ? nil : ["serverAuth"] }

  /// When it becomes valid: counted from the file's own clock, so that a case can move the clock past it.
  func usualStart(_ epoch: Instant) -> Instant { epoch.adding(days: -(isAuthority ? (isRoot ? 3650 : 1825) : 30)) }

  /// From when to when it is valid, where an epoch begins.
  func validity(_ epoch: Instant) -> (notBefore: Instant, notAfter: Instant) {
    let start = notBefore ?? usualStart(epoch)
    return (start, notAfter ?? start.adding(days: days ?? usualDays))
  }
}

/// What systems were told not to trust of an authority or a certificate, as a scenario describes it.
public struct DistrustDescription: Sendable, Hashable {
  /// The first day on which the list is in force; nil for always.
  public internal(set) var from: Instant?
  /// The releases that brought it; empty for every system.
  public internal(set) var since: [OSVersion] = []
  /// Only what was issued on this day or later.
  public internal(set) var issuedFrom: Instant?
  /// Only what was issued before this day.
  public internal(set) var issuedBefore: Instant?
  /// The names of the certificates through which a path is trusted all the same.
  public internal(set) var except: [String] = []
}

/// Kind and size of a key, as a scenario writes it.
public enum KeyKind: Sendable, Hashable, CustomStringConvertible {
  /// RSA with a modulus of so many bits: `rsa-2048`.
  case rsa(Int)
  /// A key on a curve: `ec-p256`.
  case ec(EllipticCurve)
  /// A key of Ed25519, RFC 8410: `ed25519`.
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

/// A file that a scenario names, resolved against the scenario's own folder.
public struct FileReference: Sendable, Hashable {
  /// The path to open.
  public let path: String
  /// Where the scenario names it.
  public let mark: SourceMark
}
