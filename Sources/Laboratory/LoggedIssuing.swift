import Cryptography
import Explanation
import PKIX

extension CertificateAuthority {
  /// Issues a certificate whose precertificate was logged (RFC 6962 section 3.1). Throws `IssuingError`, or an error if
  /// signing fails.
  ///
  /// The precertificate has the poison extension, which no client accepts. The certificate has the SCTs of `logs`
  /// instead. `impostor` is the key of another CA, as in `issue`. The logs accept the precertificate for its content.
  public func issue(
    _ template: CertificateTemplate, for subjectKey: PublicKey, loggedBy logs: [LogOperator], at moment: Instant,
    impostor: PrivateKey? = nil, random: inout DeterministicRandom
  ) throws -> (precertificate: Certificate, certificate: Certificate) {
    var announced = template
    announced.otherExtensions.append(.init(.precertificatePoison, critical: true, value: [0x05, 0x00]))
    let precertificate = try issue(announced, for: subjectKey, impostor: impostor, random: &random)
    guard let entry = LogEntry(of: precertificate, chain: [certificate]) else {
      return (precertificate, try issue(template, for: subjectKey, impostor: impostor, random: &random))
    }
    var logRandom = random
    let timestamps = try logs.map { try $0.timestamp(entry, at: moment.millisecondsSince1970, random: &logRandom) }
    var final = template
    final.serialNumber = precertificate.serialNumber
    final.otherExtensions.append(
      .init(.sctList, value: SignedCertificateTimestampList(timestamps).extensionValue))
    return (precertificate, try issue(final, for: subjectKey, impostor: impostor, random: &random))
  }
}
