import Explanation
import PKIX
import Trust

// The remedies for the fixes of a certificate's form, and of the limits of a path. Only the issuer can fix a form.
extension Remedy {
  static let forms: [Remedy] = [
    Remedy(.keyIdentifier, says: "Issue the certificate again", by: issuing(without: faults)),
    Remedy(bothSides: .certificateVersion, says: "Issue the certificate", by: issuing(without: faults)),
    Remedy(bothSides: .malformedExtension, says: "Issue the certificate", by: issuing(without: faults)),
    Remedy(bothSides: .signatureAlgorithmMismatch, says: "Issue the certificate", by: issuing(without: faults)),
    Remedy(bothSides: .unsupportedSignatureAlgorithm, says: "Issue the certificate", by: issuing(without: faults)),
    Remedy(bothSides: .emptyName, says: "Issue the certificate with a subject", by: issuing(without: faults)),
    Remedy(bothSides: .criticality, says: "as its section requires", by: issuing(without: faults)),
    Remedy(bothSides: .missingExtension, says: "Issue the certificate again, with", by: issuing(without: faults)),
    Remedy(bothSides: .timeForm, says: "in the type that its year requires", by: issuing(without: faults)),
    Remedy(.keyIdentifierForm, says: "Issue the root with its own subjectKeyIdentifier", by: issuing(without: faults)),
    Remedy(bothSides: .serialNumber, says: "with a positive serial number", by: issuing(without: ["serial"])),
    Remedy(bothSides: .caFields, says: "or with neither", by: signingNoCertificates),
    Remedy(bothSides: .caFields, says: "with a bit in keyUsage", by: issuing(without: ["keyUsage"])),
    Remedy(.caAsLeaf, says: "with cA FALSE and without keyCertSign", by: signingNoCertificates),
    Remedy(bothSides: .namedCurve, says: "for a key that names its curve", by: issuing(without: ["explicitCurve"])),
    Remedy(.commonNameForm, says: "copy a name of subjectAltName into it") { c throws(NotPlayable) in
      let name = try c.subject()
      guard let first = try c.entry(name).node["names"]?.words.first else { return [] }
      return ["\(try c.setting("commonName", of: name)) = \(first.inQuotes)"]
    },
    Remedy(bothSides: .nameForm, says: "with each name in the form that its type requires") { c throws(NotPlayable) in
      let name = try c.subject()
      let names = try c.entry(name).node["names"]?.words ?? []
      let hosts = names.map { $0.replacing(/[_ ]/, with: "-").inQuotes }
      return ["\(try c.setting("names", of: name)) = [\(hosts.joined(separator: ", "))]"]
    },
    Remedy(
      bothSides: .nameConstraintsForm, says: "without nameConstraints", by: issuing(without: ["nameConstraints"])),
    Remedy(bothSides: .nameConstraintsForm, says: "without a leading period", by: constraintsWithoutPeriod),
    Remedy(.unsupportedSignatureAlgorithm, says: "Use a CA with an RSA key (rsaEncryption)") { c throws(NotPlayable) in
      let isECDSA = c.server("cipherSuites")?.words.allSatisfy { $0.contains("_ECDSA_") } == true
      let key = isECDSA ? "ec-p256" : "rsa-2048"
      return [
        FixContext.addingPublicCA,
        "certificates.public = { issuer: \(FixContext.publicCA), key: \(key), names: [\(c.host.inQuotes)] }",
      ] + (try c.presenting("public", insteadOf: try c.leaf()))
    },
    Remedy(bothSides: .proxyCertificate, says: "plus one common name", by: issuing(without: ["commonName"])),
    Remedy(bothSides: .proxyCertificate, says: "without subjectAltName", by: issuing(without: ["names"])),
  ]

  static let limits: [Remedy] = [
    Remedy(bothSides: .chainDepth, says: "Use a certificate from a CA nearer to the root", by: nearerCA),
    Remedy(bothSides: .chainDepth, says: "allow more intermediates") { c in
      ["\(profile(c)).maximumIntermediates = 8"]
    },
    Remedy(bothSides: .signatureLimit, says: "a CA nearer to the root", by: nearerCA),
    Remedy(bothSides: .signatureLimit, says: "allow more signatures") { c in
      ["\(profile(c)).maximumSignatures = null"]
    },
    Remedy(bothSides: .certificatePolicy, says: "a policy that the validator accepts", cannotBePlayed: noPolicies),
    Remedy(bothSides: .policyMapping, says: "without mappings of anyPolicy", cannotBePlayed: noPolicies),
    Remedy(
      bothSides: .nameConstraintsLimit, says: "fewer names and fewer constraints",
      cannotBePlayed: "the certificates are from files"),
  ]

  private static let faults = ["break", "version", "extensions"]
  private static let noPolicies = "the scenario language issues no certificates with policies"

  /// Returns the change that issues the certificate again without the settings that make its form wrong.
  private static func issuing(without keys: [String]) -> Changes {
    { c throws(NotPlayable) in
      let name = try c.subject()
      let node = try c.entry(name).node
      let lines = try keys.filter { node[$0] != nil }.map { (key) throws(NotPlayable) in
        "\(try c.setting(key, of: name)) = null"
      }
      if lines.isEmpty { throw NotPlayable("the scenario language issues the certificate in a valid form") }
      return lines
    }
  }

  /// Issues the certificate without keyCertSign, and without the fault that makes it a CA's.
  @Sendable private static func signingNoCertificates(_ c: FixContext) throws(NotPlayable) -> [String] {
    let name = try c.subject()
    guard let usages = try c.entry(name).node["keyUsage"]?.words, usages.contains("keyCertSign") else {
      return try issuing(without: faults)(c)
    }
    let others = usages.filter { $0 != "keyCertSign" }
    return try c.reissuing(name, "keyUsage", "[\(others.joined(separator: ", "))]")
  }

  @Sendable private static func constraintsWithoutPeriod(_ c: FixContext) throws(NotPlayable) -> [String] {
    let name = try c.subject()
    let constraints = try c.entry(name).node["nameConstraints"]
    return try ["permitted", "excluded"].filter { constraints?[$0] != nil }.map { (kind) throws(NotPlayable) in
      let hosts = (constraints?[kind]?.words ?? []).map { $0.replacing(/^(DNS:)?\./, with: "").inQuotes }
      return "\(try c.setting("nameConstraints", of: name)).\(kind) = [\(hosts.joined(separator: ", "))]"
    }
  }

  /// Issues the first certificate of the path from the issuer of its own issuer.
  @Sendable private static func nearerCA(_ c: FixContext) throws(NotPlayable) -> [String] {
    guard let leaf = c.path.first, let issuer = try c.entry(leaf).node["issuer"]?.text,
      let above = try c.entry(issuer).node["issuer"]?.text
    else { throw NotPlayable("no CA is nearer to the root") }
    return try c.reissuing(leaf, "issuer", above.inQuotes)
  }

  /// Returns the path of the profile by which the side with the finding validates the path.
  private static func profile(_ c: FixContext) -> String {
    c.finding.rule.layer == .clientAuth ? c.serverPath("profile") : c.clientPath("profile")
  }
}
