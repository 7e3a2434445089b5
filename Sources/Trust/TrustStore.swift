import Explanation
import PKIX

/// What a client knows about certificates beforehand: its anchors, by who put them there, and what it must not trust.
public struct TrustStore: Sendable {
  /// Who made a certificate an anchor.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// It came with the operating system.
    case system
    /// The user or an administrator installed and trusted it.
    case user
    /// The app set it with SecTrustSetAnchorCertificates.
    case app
  }

  /// The anchors of all kinds.
  public private(set) var anchors: CertificatePool
  /// Roots that the user installed without trusting them.
  public private(set) var installedNotTrusted: [Certificate]
  /// Certificates that the system never trusts, whatever else is said.
  public let distrusted: Set<Certificate>
  /// What the system does not trust from a day or a release on, or of some days of issue only.
  public var distrusts: [Distrust] = []
  /// Certificates of which the user or an administrator said never to trust them.
  public var denied: Set<Certificate> = []
  /// Certificates of which the user said to be asked each time.
  public var asked: Set<Certificate> = []
  /// Those of the system's roots that are Apple's own.
  public var appleRoots: Set<Certificate> = []
  private var kinds: [Certificate: Kind]

  /// A store with these anchors. A certificate given twice is of the kind named first: app, user, system.
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

  /// Who made `certificate` an anchor; nil when it is none.
  public func kind(of certificate: Certificate) -> Kind? { kinds[certificate] }

  /// Who made the last certificate of a path an anchor, or the one that it was taken for.
  func kind(ofAnchorOf path: CertificatePath) -> Kind? { (path.mistakenAnchor ?? path.anchor).flatMap(kind) }

  /// Whether a certificate, with all that it signed, is distrusted by the system on this day, or denied by the user.
  func refuses(_ certificate: Certificate, on today: Instant, os: OSVersion?) -> Bool {
    denied.contains(certificate) || distrusted.contains { $0.hasKey(of: certificate) }
      || distrusts.contains { list in
        list.required == .none && list.exempt.isEmpty && list.certificate.hasKey(of: certificate)
          && list.isInForce(on: today, os: os)
      }
  }

  /// Certificates that are known without being trusted, so that a path can end in them and say why it fails.
  var known: [Certificate] {
    // A set has no order of its own that would be the same in every process.
    let sets = [distrusted, denied, asked].flatMap { set in
      set.count < 2 ? Array(set) : set.sorted { $0.der.lexicographicallyPrecedes($1.der) }
    }
    return installedNotTrusted + distrusts.map(\.certificate) + sets
  }

  /// This store as a system takes it: a root that was installed with a profile counts as trusted before iOS 10.3, and
  /// waits for its switch in Certificate Trust Settings since (HT204477).
  func asTreated(by os: OSVersion?) -> TrustStore {
    guard !installedNotTrusted.isEmpty, let os, os.family == .iOS, os < OSVersion(.iOS, 10, 3) else { return self }
    var store = holding(
      system: anchors(of: .system), user: anchors(of: .user) + installedNotTrusted, app: anchors(of: .app))
    store.installedNotTrusted = []
    return store
  }

  private func anchors(of kind: Kind) -> [Certificate] { anchors.certificates.filter { self.kind(of: $0) == kind } }

  /// This store where the system has these roots too.
  public func adding(system roots: [Certificate]) -> TrustStore {
    holding(system: anchors(of: .system) + roots, user: anchors(of: .user), app: anchors(of: .app))
  }

  /// This store after SecTrustSetAnchorCertificates: the app's anchors, and the others only when `only` is false
  /// (SecTrustSetAnchorCertificatesOnly).
  public func settingAnchors(_ app: [Certificate], only: Bool = true) -> TrustStore {
    holding(system: only ? [] : anchors(of: .system), user: only ? [] : anchors(of: .user), app: app)
  }

  /// The same finding, with what helps where an app's anchors have taken the place of the system's.
  func helping(_ finding: Finding) -> Finding {
    guard finding.outcome == .violated, [.noIssuer, .noAnchor, .selfSigned].contains(finding.rule),
      !anchors.certificates.isEmpty, anchors.certificates.allSatisfy({ kind(of: $0) == .app })
    else { return finding }
    return finding.of(
      finding.rule.fixed(
        by: "The app's own anchors are the only ones here. Where servers under the system's are meant too, let the app "
          + "keep those beside its own (SecTrustSetAnchorCertificatesOnly with false); else use a certificate under "
          + "one of its own."))
  }

  /// This store with other anchors; what must not be trusted stays.
  private func holding(system: [Certificate], user: [Certificate], app: [Certificate]) -> TrustStore {
    let other = TrustStore(system: system, user: user, app: app)
    var store = self
    (store.anchors, store.kinds) = (other.anchors, other.kinds)
    return store
  }
}

/// What a system was told not to trust: a certificate with all that it signed, from a day on, since a release, or by the
/// day of issue of the server's certificate.
///
/// Apple blocked certificates under WoSign and StartCom whose notBefore is 2016-12-01 or later (support article 103723); a
/// compromised certificate is blocked whatever its dates. The day of issue is what the authority wrote: whoever dates
/// back escapes.
public struct Distrust: Sendable, Hashable {
  /// The certificate that is not trusted, nor what it signed.
  public let certificate: Certificate
  /// The first day on which the list is in force; nil is always.
  public var from: Instant?
  /// The releases that brought the list, one for each family; empty is every system.
  public var since: [OSVersion]
  /// Only server certificates whose notBefore is this or later are refused; nil refuses all.
  public var issuedFrom: Instant?
  /// Only server certificates whose notBefore is earlier are refused; nil refuses all.
  public var issuedBefore: Instant?
  /// Certificates through which a path is trusted all the same.
  public var exempt: Set<Certificate>

  /// Distrust of `certificate` and of all that it signed, as far as the other arguments do not narrow it.
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

  /// Whether a system has the list on this day. Apple's documentation is later than every release.
  func isInForce(on today: Instant, os: OSVersion?) -> Bool {
    if let from, today < from { return false }
    guard let os, !since.isEmpty, os.family != .documentation else { return true }
    return since.contains { $0.family == os.family && os >= $0 }
  }

  /// Whether a path that has the certificate on it is refused.
  func covers(_ path: CertificatePath) -> Bool {
    guard let leaf = path.certificates.first, exempt.isDisjoint(with: path.certificates) else { return false }
    return issuedFrom.map { leaf.notBefore >= $0 } ?? true && issuedBefore.map { leaf.notBefore < $0 } ?? true
  }

  /// What would not be refused.
  var required: Detail {
    switch (issuedFrom, issuedBefore) {
    case (nil, nil): .none
    case (let start?, nil): .word("a server certificate issued before \(start)")
    case (nil, let end?): .word("a server certificate issued on \(end) or later")
    case (let start?, let end?): .word("a server certificate issued before \(start), or on \(end) or later")
    }
  }

  /// What was found instead: when the server's certificate was issued, or since when the list is in force.
  func found(on path: CertificatePath) -> Detail {
    if required != .none, let leaf = path.certificates.first { return .word("one issued on \(leaf.notBefore)") }
    return .word(from.map { "distrusted since \($0)" } ?? "distrusted by the system")
  }
}
