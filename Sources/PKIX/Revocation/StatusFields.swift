import Explanation

/// Reads and names the parts of an element in order. It stops at the first part that cannot be read.
private struct FieldWalk {
  private var cursor: DERCursor
  private(set) var fields: [Field] = []

  init(_ cursor: DERCursor) { self.cursor = cursor }

  var nextTag: UInt8? { cursor.nextTag }

  mutating func add(
    _ name: String, _ meaning: String = "", _ children: (DERCursor) -> [Field] = { _ in [] }
  ) {
    guard let element = try? cursor.next(name) else { return }
    fields.append(Field(name, element.range, meaning: meaning, children: children(cursor.inside(element))))
  }
}

extension OCSPResponse {
  /// The response as a tree with the field names of RFC 6960 section 4.2.1 and byte ranges over `der`.
  public var field: Field {
    var whole = DERCursor(der)
    guard let outer = try? whole.next("OCSPResponse") else { return Field("OCSPResponse", 0..<der.count) }
    var walk = FieldWalk(whole.inside(outer))
    walk.add("responseStatus", "\(status) (\(status.rawValue))")
    if let basic { walk.add("responseBytes", "id-pkix-ocsp-basic") { Self.basicFields($0, basic) } }
    return Field("OCSPResponse", outer.range, meaning: "\(status)", children: walk.fields)
  }

  private static func basicFields(_ tagged: DERCursor, _ basic: BasicOCSPResponse) -> [Field] {
    var tagged = tagged
    guard let bytes = try? tagged.next("ResponseBytes") else { return [] }
    var parts = tagged.inside(bytes)
    guard (try? parts.next("responseType")) != nil, let octets = try? parts.next("response") else { return [] }
    var inside = parts.inside(octets)
    guard let response = try? inside.next("BasicOCSPResponse") else { return [] }
    var walk = FieldWalk(inside.inside(response))
    walk.add("tbsResponseData") { Self.dataFields($0, basic) }
    walk.add("signatureAlgorithm", basic.signatureAlgorithm.description)
    walk.add("signature", "\(basic.signatureValue.bytes.count) bytes")
    if !basic.certificates.isEmpty {
      walk.add("certs", basic.certificates.map(\.displayName).joined(separator: ", "))
    }
    return [Field("BasicOCSPResponse", response.range, children: walk.fields)]
  }

  private static func dataFields(_ cursor: DERCursor, _ basic: BasicOCSPResponse) -> [Field] {
    var walk = FieldWalk(cursor)
    if walk.nextTag == DERTag.context(0, constructed: true) { walk.add("version", "v1") }
    walk.add("responderID", basic.responderID.description)
    walk.add("producedAt", basic.producedAt.description)
    walk.add("responses", "\(basic.responses.count)") { crl in
      var singles = FieldWalk(crl)
      for one in basic.responses {
        singles.add("SingleResponse", one.status.word) { Self.singleFields($0, one) }
      }
      return singles.fields
    }
    if walk.nextTag != nil { walk.add("responseExtensions", basic.extensions.map(\.oid.name).joined(separator: ", ")) }
    return walk.fields
  }

  private static func singleFields(_ cursor: DERCursor, _ one: SingleResponse) -> [Field] {
    var walk = FieldWalk(cursor)
    walk.add("certID", "serialNumber \(Hex.string(one.certificate.serialNumber))")
    walk.add("certStatus", one.status.meaning)
    walk.add("thisUpdate", one.thisUpdate.description)
    if let end = one.nextUpdate { walk.add("nextUpdate", end.description) }
    if !one.extensions.isEmpty { walk.add("singleExtensions", one.extensions.map(\.oid.name).joined(separator: ", ")) }
    return walk.fields
  }
}

extension CertificateRevocationList {
  /// The CRL as a tree with the field names of RFC 5280 section 5.1 and byte ranges over `der`.
  public var field: Field {
    var whole = DERCursor(der)
    guard let outer = try? whole.next("CertificateList") else { return Field("CertificateList", 0..<der.count) }
    var walk = FieldWalk(whole.inside(outer))
    walk.add("tbsCertList") { signedFields($0) }
    walk.add("signatureAlgorithm", signatureAlgorithm.description)
    walk.add("signatureValue", "\(signatureValue.bytes.count) bytes")
    return Field("CertificateList", outer.range, meaning: issuer.description, children: walk.fields)
  }

  private func signedFields(_ cursor: DERCursor) -> [Field] {
    var walk = FieldWalk(cursor)
    if walk.nextTag == DERTag.integer { walk.add("version", "v\(version)") }
    walk.add("signature", signedSignatureAlgorithm.description)
    walk.add("issuer", issuer.description)
    walk.add("thisUpdate", thisUpdate.description)
    if let nextUpdate { walk.add("nextUpdate", nextUpdate.description) }
    if walk.nextTag == DERTag.sequence {
      walk.add("revokedCertificates", "\(entries.count)") { crl in
        var items = FieldWalk(crl)
        for entry in entries { items.add("revokedCertificate", entry.meaning(on: issuer)) }
        return items.fields
      }
    }
    if !extensions.isEmpty {
      walk.add("crlExtensions", "\(extensions.count)") { _ in
        extensions.map { item in
          Field(item.oid.name, item.range, meaning: (item.critical ? "critical: " : "") + meaning(of: item))
        }
      }
    }
    return walk.fields
  }

  private func meaning(of item: Certificate.Extension) -> String {
    switch item.oid {
    case .cRLNumber: decodedExtensions.number.map(Hex.string) ?? Hex.string(item.value)
    case .deltaCRLIndicator: decodedExtensions.baseNumber.map { "adds to \(Hex.string($0))" } ?? Hex.string(item.value)
    case .issuingDistributionPoint: decodedExtensions.scope?.meaning ?? Hex.string(item.value)
    case .authorityKeyIdentifier: decodedExtensions.authorityKeyIdentifier?.meaning ?? Hex.string(item.value)
    case .freshestCRL: (try? FreshestCRL(der: item.value))?.meaning ?? Hex.string(item.value)
    default: Hex.string(item.value)
    }
  }
}

extension IssuingDistributionPoint {
  /// The distribution point and the scope of the CRL, in one line.
  fileprivate var meaning: String {
    let flags = [
      (onlyContainsUserCerts, "onlyContainsUserCerts"), (onlyContainsCACerts, "onlyContainsCACerts"),
      (indirectCRL, "indirectCRL"), (onlyContainsAttributeCerts, "onlyContainsAttributeCerts"),
    ].filter(\.0).map(\.1)
    return ([name?.meaning] + flags + [onlySomeReasons?.meaning]).compactMap(\.self).joined(separator: ", ")
  }
}

extension CertificateRevocationList.Entry {
  /// Describes the serial number, date and reason in one line, and the certificate's issuer if it is not the CRL's.
  fileprivate func meaning(on issuer: DistinguishedName) -> String {
    let names = certificateIssuer.map(\.description).joined(separator: ", ")
    let other = certificateIssuer == [issuer] ? nil : "of \(names)"
    return (["\(Hex.string(serialNumber)) since \(date)"] + [reason?.name, other].compactMap(\.self))
      .joined(separator: ", ")
  }
}

extension SingleResponse.Status {
  /// `revoked since 2016-10-29T00:00:00Z, keyCompromise`.
  public var meaning: String {
    guard case .revoked(let date, let reason) = self else { return word }
    return "revoked since \(date)" + (reason.map { ", \($0.name)" } ?? "")
  }
}
