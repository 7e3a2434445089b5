import Explanation
import PKIX

/// A client's trust settings: its anchors with their origin, and the certificates that it must not trust.
public struct TrustStore: Sendable {
  /// The origin of an anchor.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The anchor is part of the operating system.
    case system
    /// The user or an administrator installed and trusted the anchor.
    case user
    /// The app set the anchor with SecTrustSetAnchorCertificates.
    case app
  }

  /// The anchors from all origins.
  public private(set) var anchors: CertificatePool
  /// The roots that the user installed without trusting them.
  public private(set) var installedNotTrusted: [Certificate]
  /// The certificates that the system never trusts, regardless of other settings.
  public let distrusted: Set<Certificate>
  /// The certificates that the system distrusts under conditions.
  ///
  /// The distrust begins on a day or with a release, or depends on the day of issue.
  public var distrusts: [Distrust] = []
  /// The certificates that the user or an administrator marked Never Trust.
  public var denied: Set<Certificate> = []
  /// The certificates about which the user must be asked each time.
  public var asked: Set<Certificate> = []
  /// The system roots that belong to Apple.
  public var appleRoots: Set<Certificate> = []
  private var kinds: [Certificate: Kind]

  /// Creates a store. If a certificate is given more than once, its origin is the first of: app, user, system.
  public init(
    system: [Certificate] = [], user: [Certificate] = [], app: [Certificate] = [],
    installedNotTrusted: [Certificate] = [], distrusted: [Certificate] = []
  ) {
    let all: [(Certificate, Kind)] =
      app.map { ($0, .app) } + user.map { ($0, .user) } + system.map { ($0, .system) }
    anchors = CertificatePool(all.map(\.0))
    kinds = Dictionary(all) { first, _ in first }
    self.installedNotTrusted = installedNotTrusted
    self.distrusted = Set(distrusted)
  }

  /// Returns the origin of `certificate` as an anchor; nil if it is not an anchor.
  public func kind(of certificate: Certificate) -> Kind? { kinds[certificate] }

  /// Returns the origin of a path's anchor, or of the anchor that its last certificate was mistaken for.
  func kind(ofAnchorOf path: CertificatePath) -> Kind? { (path.mistakenAnchor ?? path.anchor).flatMap(kind) }

  /// Returns whether a certificate must not be trusted on this day.
  ///
  /// The system distrusts it and everything that it signed, or the user marked it Never Trust.
  func refuses(_ certificate: Certificate, on today: Instant, os: OSVersion?) -> Bool {
    denied.contains(certificate) || distrusted.contains { $0.hasKey(of: certificate) }
      || distrusts.contains { list in
        list.required == .none && list.exempt.isEmpty && list.certificate.hasKey(of: certificate)
          && list.isInForce(on: today, os: os)
      }
  }

  /// The certificates that are known but not trusted. A path that ends at one of them explains why it fails.
  var known: [Certificate] {
    // The order of a set differs between processes.
    let sets = [distrusted, denied, asked].flatMap { set in
      set.count < 2 ? Array(set) : set.sorted { $0.der.lexicographicallyPrecedes($1.der) }
    }
    return installedNotTrusted + distrusts.map(\.certificate) + sets
  }

  /// Returns this store with the anchors that a system trusts.
  ///
  /// Before iOS 10.3, a root from a profile is trusted. Since then, the user must turn on full trust for it in
  /// Certificate Trust Settings (HT204477).
  func asTreated(by os: OSVersion?) -> TrustStore {
    guard !installedNotTrusted.isEmpty, let os, os.family == .iOS, os < OSVersion(.iOS, 10, 3) else { return self }
    var store = holding(
      system: anchors(of: .system), user: anchors(of: .user) + installedNotTrusted, app: anchors(of: .app))
    store.installedNotTrusted = []
    return store
  }

  private func anchors(of kind: Kind) -> [Certificate] { anchors.certificates.filter { self.kind(of: $0) == kind } }

  /// Returns this store with additional system roots.
  public func adding(system roots: [Certificate]) -> TrustStore {
    holding(system: anchors(of: .system) + roots, user: anchors(of: .user), app: anchors(of: .app))
  }

  /// Returns this store after a call of SecTrustSetAnchorCertificates.
  ///
  /// The store contains the app's anchors. It contains the other anchors only if `only` is false
  /// (SecTrustSetAnchorCertificatesOnly).
  public func settingAnchors(_ app: [Certificate], only: Bool = true) -> TrustStore {
    holding(system: only ? [] : anchors(of: .system), user: only ? [] : anchors(of: .user), app: app)
  }

  /// Returns the finding with an additional fix if an app's anchors replace the system's.
  func helping(_ finding: Finding) -> Finding {
    guard finding.outcome == .violated, [.noIssuer, .noAnchor, .selfSigned].contains(finding.rule),
      !anchors.certificates.isEmpty, anchors.certificates.allSatisfy({ kind(of: $0) == .app })
    else { return finding }
    return finding.of(
      finding.rule.fixed(
        by: "The app trusts only its own anchors. To trust the system's anchors too, call "
          + "SecTrustSetAnchorCertificatesOnly with false. Otherwise, use a certificate under one of the app's "
          + "anchors."))
  }

  /// Returns this store with other anchors. The distrusted certificates are unchanged.
  private func holding(system: [Certificate], user: [Certificate], app: [Certificate]) -> TrustStore {
    let other = TrustStore(system: system, user: user, app: app)
    var store = self
    (store.anchors, store.kinds) = (other.anchors, other.kinds)
    return store
  }
}

/// A system's distrust of a certificate and of everything that it signed.
///
/// The distrust can begin on a day or with a release, or depend on the day of issue of the server's certificate.
///
/// Apple blocked certificates under WoSign and StartCom whose notBefore is 2016-12-01 or later (support article
/// 103723). A compromised certificate is blocked regardless of its dates. The CA itself sets the day of issue, so a CA
/// that backdates certificates escapes the block.
public struct Distrust: Sendable, Hashable {
  /// The distrusted certificate. The certificates that it signed are distrusted too.
  public let certificate: Certificate
  /// The first day of the distrust; nil if it has always applied.
  public var from: Instant?
  /// The releases that introduced the distrust, one for each family; empty if it applies on every system.
  public var since: [OSVersion]
  /// The earliest notBefore of the server certificates that are refused; nil for no limit.
  public var issuedFrom: Instant?
  /// The notBefore from which server certificates are no longer refused; nil for no limit.
  public var issuedBefore: Instant?
  /// The certificates whose paths remain trusted.
  public var exempt: Set<Certificate>

  /// Creates a distrust of `certificate` and of everything that it signed. The other arguments limit the distrust.
  public init(
    _ certificate: Certificate, from: Instant? = nil, since: [OSVersion] = [], issuedFrom: Instant? = nil,
    issuedBefore: Instant? = nil, exempt: Set<Certificate> = []
  ) {
    self.certificate = certificate
    self.from = from
    self.since = since
    self.issuedFrom = issuedFrom
    self.issuedBefore = issuedBefore
    self.exempt = exempt
  }

  /// Returns whether a system applies the distrust on this day. Apple's documentation is treated as later than every
  /// release.
  func isInForce(on today: Instant, os: OSVersion?) -> Bool {
    if let from, today < from { return false }
    guard let os, !since.isEmpty, os.family != .documentation else { return true }
    return since.contains { $0.family == os.family && os >= $0 }
  }

  /// Returns whether the distrust refuses a path with the certificate.
  func covers(_ path: CertificatePath) -> Bool {
    guard let leaf = path.certificates.first, exempt.isDisjoint(with: path.certificates) else { return false }
    return issuedFrom.map { leaf.notBefore >= $0 } ?? true && issuedBefore.map { leaf.notBefore < $0 } ?? true
  }

  /// The certificates that the distrust does not refuse.
  var required: Detail {
    switch (issuedFrom, issuedBefore) {
    case (nil, nil): .none
    case (let start?, nil): .word("a server certificate issued before \(start)")
    case (nil, let end?): .word("a server certificate issued on \(end) or later")
    case (let start?, let end?): .word("a server certificate issued before \(start), or on \(end) or later")
    }
  }

  /// Returns the value found: the day of issue of the server's certificate, or the beginning of the distrust.
  func found(on path: CertificatePath) -> Detail {
    if required != .none, let leaf = path.certificates.first { return .word("one issued on \(leaf.notBefore)") }
    return .word(from.map { "distrusted since \($0)" } ?? "distrusted by the system")
  }
}
