/// The locations of a certificate's CRLs (RFC 5280 section 4.2.1.13).
public struct CRLDistributionPoints: CertificateExtension {
  /// id-ce-cRLDistributionPoints.
  public static let oid = OID.cRLDistributionPoints
  /// The distribution points, in order.
  public let points: [DistributionPoint]

  /// Creates the extension with these points.
  public init(_ points: [DistributionPoint]) { self.points = points }

  /// Creates one distribution point for each URL. `issuer` is the CRL issuer, if it is not the certificate's issuer.
  public init(locations: [String], issuer: DistinguishedName? = nil) {
    points = locations.map {
      DistributionPoint(
        .full([.uniformResourceIdentifier($0)]), issuer: issuer.map { [.directoryName($0)] } ?? [])
    }
  }

  /// The http URLs of CRLs, in order.
  public var locations: [String] {
    points.flatMap { point -> [String] in
      guard case .full(let names) = point.name else { return [] }
      return names.compactMap { name in
        if case .uniformResourceIdentifier(let url) = name, url.hasPrefix("http://") { url } else { nil }
      }
    }
  }

  /// Reads a CRLDistributionPoints value with at least one point.
  public init(der: [UInt8]) throws(CertificateError) {
    var whole = DERCursor(der)
    var list = whole.inside(try whole.next("CRLDistributionPoints", DERTag.sequence))
    try whole.finish("CRLDistributionPoints")
    var points: [DistributionPoint] = []
    repeat { points.append(try DistributionPoint.read(&list)) } while !list.isAtEnd
    self.points = points
  }

  /// The encoding.
  public var der: [UInt8] { DER.sequence(of: points.map(\.der)) }

  /// The locations in one line, such as `URI:http://ca.example/ca.crl`.
  public var meaning: String { points.map(\.meaning).joined(separator: "; ") }
}

/// The locations of the delta CRLs for a certificate or a CRL (RFC 5280 sections 4.2.1.15 and 5.2.6).
public struct FreshestCRL: CertificateExtension {
  /// id-ce-freshestCRL.
  public static let oid = OID.freshestCRL
  /// The distribution points. This extension has the same syntax as cRLDistributionPoints.
  public let points: CRLDistributionPoints

  /// Creates one distribution point for each URL.
  public init(locations: [String], issuer: DistinguishedName? = nil) {
    points = CRLDistributionPoints(locations: locations, issuer: issuer)
  }

  /// Reads a FreshestCRL.
  public init(der: [UInt8]) throws(CertificateError) { points = try CRLDistributionPoints(der: der) }

  /// The encoding.
  public var der: [UInt8] { points.der }

  /// The locations in one line, such as `URI:http://ca.example/delta.crl`.
  public var meaning: String { points.meaning }
}

extension Certificate {
  /// The locations of the certificate's CRLs; nil if the extension is absent or malformed.
  public var distributionPoints: CRLDistributionPoints? { decoded() }

  /// The http URLs of the certificate's CRLs, in order.
  public var crlLocations: [String] { distributionPoints?.locations ?? [] }

  /// The http URLs of the certificate's delta CRLs, in order.
  public var deltaLocations: [String] { decoded(FreshestCRL.self)?.points.locations ?? [] }

  /// The issuers of the certificate's CRLs: its own issuer, and those in cRLIssuer (RFC 5280 section 4.2.1.13).
  public var crlIssuers: [DistinguishedName] {
    let named = (distributionPoints?.points ?? []).flatMap(\.issuer)
    return [issuer] + named.compactMap { if case .directoryName(let name) = $0 { name } else { nil } }
  }
}

/// A location of CRLs: DistributionPoint (RFC 5280 section 4.2.1.13).
public struct DistributionPoint: Sendable, Hashable {
  /// The name of the location.
  public let name: DistributionPointName?
  /// The revocation reasons that the CRLs at this point cover; nil for all.
  public let reasons: RevocationReasons?
  /// The issuer of the CRLs, if it is not the certificate's issuer.
  public let issuer: [GeneralName]

  /// Creates a distribution point.
  public init(_ name: DistributionPointName?, reasons: RevocationReasons? = nil, issuer: [GeneralName] = []) {
    self.name = name
    self.reasons = reasons
    self.issuer = issuer
  }

  static func read(_ list: inout DERCursor) throws(CertificateError) -> DistributionPoint {
    var parts = list.inside(try list.next("DistributionPoint", DERTag.sequence))
    let name = try DistributionPointName.readOptional(&parts)
    let reasons = try RevocationReasons.readOptional("reasons", DERTag.context(1), &parts)
    var issuer: [GeneralName] = []
    if let element = try parts.optional("cRLIssuer", DERTag.context(2, constructed: true)) {
      var names = parts.inside(element)
      issuer = try GeneralName.readAll(&names)
    }
    guard parts.isAtEnd, name != nil || !issuer.isEmpty else {
      throw parts.error(
        "DistributionPoint", at: parts.position, "neither distributionPoint nor cRLIssuer, or an unknown field",
        "RFC 5280 section 4.2.1.13: distributionPoint or cRLIssuer MUST be present.")
    }
    return DistributionPoint(name, reasons: reasons, issuer: issuer)
  }

  var der: [UInt8] {
    DER.sequence(
      name?.der ?? [], reasons.map { DER.element(DERTag.context(1), $0.bitStringContent) } ?? [],
      issuer.isEmpty ? [] : DER.element(DERTag.context(2, constructed: true), issuer.flatMap(\.der)))
  }

  /// The name in one line, with the CRL issuer and the reasons if they are present.
  var meaning: String {
    ([name?.meaning] + [
      issuer.isEmpty ? nil : "issued by \(issuer.map(\.meaning).joined(separator: ", "))", reasons?.meaning,
    ]).compactMap { $0 }.joined(separator: ", ")
  }
}

/// The name of a distribution point: DistributionPointName (RFC 5280 section 4.2.1.13).
public enum DistributionPointName: Sendable, Hashable {
  /// One or more names of the same location.
  case full([GeneralName])
  /// Attributes that are appended to the name of the CRL issuer, as the contents of a RelativeDistinguishedName.
  case relative([UInt8])

  static func readOptional(_ parts: inout DERCursor) throws(CertificateError) -> DistributionPointName? {
    guard let outer = try parts.optional("distributionPoint", DERTag.context(0, constructed: true)) else { return nil }
    var inner = parts.inside(outer)
    let element = try inner.next("DistributionPointName")
    try inner.finish("DistributionPointName")
    switch element.tag {
    case DERTag.context(0, constructed: true):
      var names = inner.inside(element)
      return .full(try GeneralName.readAll(&names))
    case DERTag.context(1, constructed: true):
      let name = DER.sequence(DER.element(DERTag.set, inner.content(element)))
      _ = try DistinguishedName(der: name)
      return .relative(inner.content(element))
    case let tag:
      throw inner.error(
        "DistributionPointName", at: element.range.lowerBound, "\(DERTag.name(tag)) instead of [0] or [1]",
        "RFC 5280 section 4.2.1.13")
    }
  }

  var der: [UInt8] {
    let name =
      switch self {
      case .full(let names): DER.element(DERTag.context(0, constructed: true), names.flatMap(\.der))
      case .relative(let attributes): DER.element(DERTag.context(1, constructed: true), attributes)
      }
    return DER.element(DERTag.context(0, constructed: true), name)
  }

  /// Returns all names of the location. `issuer` is the CRL issuer.
  func names(issuer: DistinguishedName) -> [GeneralName] {
    switch self {
    case .full(let names): return names
    case .relative(let attributes):
      var whole = DERCursor(issuer.der)
      guard let element = try? whole.next("name") else { return [] }
      let name = DER.sequence(whole.content(element), DER.element(DERTag.set, attributes))
      return (try? DistinguishedName(der: name)).map { [.directoryName($0)] } ?? []
    }
  }

  var meaning: String {
    switch self {
    case .full(let names): names.map(\.meaning).joined(separator: ", ")
    case .relative: "relative to the issuer"
    }
  }
}

/// A set of revocation reasons: ReasonFlags (RFC 5280 section 4.2.1.13). Bit n of the raw value is bit n of the RFC.
public struct RevocationReasons: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt16

  /// Creates a set of reasons from its bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Every reason: bits 1 to 8.
  public static let all = RevocationReasons(rawValue: 0x1FE)

  static func readOptional(
    _ field: String, _ tag: UInt8, _ parts: inout DERCursor
  ) throws(CertificateError) -> RevocationReasons? {
    guard parts.nextTag == tag else { return nil }
    let (octets, _) = try parts.bitString(field, tag)
    var bits: UInt16 = 0
    for (index, octet) in parts.bytes[octets].prefix(2).enumerated() {
      for bit in 0..<8 where octet & (0x80 >> bit) != 0 { bits |= 1 << (index * 8 + bit) }
    }
    return RevocationReasons(rawValue: bits)
  }

  /// The contents of the encoded BIT STRING, without trailing zero bits.
  var bitStringContent: [UInt8] { Array(KeyUsage(rawValue: rawValue).der.dropFirst(2)) }

  /// The RFC's names.
  var meaning: String {
    RevocationReasons.names.enumerated().filter { rawValue & (1 << $0.offset) != 0 }.map(\.element)
      .joined(separator: ", ")
  }

  private static let names = [
    "unused", "keyCompromise", "cACompromise", "affiliationChanged", "superseded", "cessationOfOperation",
    "certificateHold", "privilegeWithdrawn", "aACompromise",
  ]
}
