import Cryptography
import Explanation
import Testing

@testable import PKIX

/// A CRL that a test may change before it is issued: by `Issuing`, complete, current, and empty.
struct ListTemplate {
  var issuer = DistinguishedName(commonName: "Issuing", organization: "Example")
  var key = "Issuing"
  var thisUpdate = Hierarchy.date("2016-10-01")
  var nextUpdate: Instant? = Hierarchy.date("2016-12-01")
  var isVersion2 = true
  /// Whether the dates are GeneralizedTime.
  var hasLongTimes = false
  var number: Int? = 7
  /// The CRL number of the base CRL that this delta CRL extends.
  var base: Int?
  /// The contents of issuingDistributionPoint.
  var scope: [UInt8]?
  var hasKeyIdentifier = true
  var otherExtensions: [Certificate.Extension] = []
  /// The serial number, reason code and other extensions of each entry.
  var entries: [(serial: [UInt8], reason: UInt8?, extensions: [Certificate.Extension])] = []
  var breaksSignature = false

  mutating func revoke(_ certificate: Certificate, _ reason: UInt8? = nil, _ extensions: [Certificate.Extension] = []) {
    entries.append((certificate.serialNumber, reason, extensions))
  }

  func issue() throws -> CertificateRevocationList {
    let key = try Hierarchy.key(self.key)
    let algorithm = try #require(AlgorithmIdentifier(.rsaPKCS1SHA256)).der
    let signed = DER.sequence(
      isVersion2 ? DER.integer(1) : [], algorithm, issuer.der, time(thisUpdate),
      nextUpdate.map(time) ?? [], entries.isEmpty ? [] : DER.sequence(of: entries.map(Self.entry)),
      isVersion2 ? DER.element(DERTag.context(0, constructed: true), DER.sequence(of: extensions(key).map(\.der))) : [])
    var random = DeterministicRandom(seed: .number(1), label: "list")
    var signature = try key.sign(signed, .rsaPKCS1SHA256, random: &random)
    if breaksSignature { signature[0] ^= 1 }
    return try CertificateRevocationList(der: DER.sequence(signed, algorithm, DER.bitString(signature)))
  }

  private func time(_ instant: Instant) -> [UInt8] {
    hasLongTimes ? ListTemplate.generalizedTime(instant) : DERTime.encoded(instant)
  }

  /// A date before 2050 as GeneralizedTime, which RFC 5280 allows only from 2050 on.
  static func generalizedTime(_ instant: Instant) -> [UInt8] {
    DER.element(DERTag.generalizedTime, Array("20".utf8) + DERTime.encoded(instant).dropFirst(2))
  }

  private func extensions(_ key: PrivateKey) -> [Certificate.Extension] {
    var list: [Certificate.Extension] = []
    if hasKeyIdentifier { list.append(.init(AuthorityKeyIdentifier(Hash.sha1.digest(key.publicKey.subjectPublicKey)))) }
    if let number { list.append(.init(.cRLNumber, value: DER.integer(number))) }
    if let base { list.append(.init(.deltaCRLIndicator, critical: true, value: DER.integer(base))) }
    if let scope { list.append(.init(.issuingDistributionPoint, critical: true, value: DER.sequence(scope))) }
    return list + otherExtensions
  }

  private static func entry(
    _ entry: (serial: [UInt8], reason: UInt8?, extensions: [Certificate.Extension])
  ) -> [UInt8] {
    let reason = entry.reason.map { [Certificate.Extension(.reasonCode, value: DER.element(0x0A, [$0]))] } ?? []
    let extensions = reason + entry.extensions
    return DER.sequence(
      DER.element(DERTag.integer, entry.serial), DERTime.encoded(Hierarchy.date("2016-09-01")),
      extensions.isEmpty ? [] : DER.sequence(of: extensions.map(\.der)))
  }
}
