import Explanation

/// Checks the references between entries of the hierarchy, except for those to issuers.
struct HierarchyCheck {
  let scenario: Scenario
  let sink: DiagnosticSink

  func run() {
    for description in all {
      checkCrossSigned(by: description)
      checkCurve(of: description)
      checkExceptions(of: description)
      checkForm(of: description)
      checkRevocation(of: description)
      checkFile(of: description)
      checkTrust(of: description)
      checkExtensions(of: description)
    }
    checkLocations()
    checkLogs()
  }

  /// Reports a log without an SCT in any certificate, which is a mistake.
  private func checkLogs() {
    let used = all.flatMap { $0.timestamps?.logs ?? [] }
    for name in scenario.logs.keys.sorted() where !used.contains(name) {
      sink.error(
        "no certificate has an SCT from the log '\(name)'",
        hint: used.isEmpty ? "write timestamps: [\(name)]" : Spelling.hint(for: name, among: used),
        at: scenario.tree["logs"]?.entries?.first { $0.key == name }?.mark ?? scenario.tree.mark)
    }
  }

  private var all: [CertificateDescription] { scenario.authorities + scenario.certificates }

  /// Reports keys about issuance in the entry of a certificate from a file, because they would be ignored.
  private func checkFile(of description: CertificateDescription) {
    guard description.pem != nil, let entries = node(description)?.entries else { return }
    let ignored = entries.filter { Self.ofIssuing.contains($0.key) && !$0.value.isNull }
    guard let first = ignored.first else { return }
    let names = ignored.map { "'\($0.key)'" }.joined(separator: ", ")
    sink.error(
      "'\(description.name)' is read from a file, which overrides \(names)",
      hint: "leave out pem, or \(names); a row removes a key with null: { \(first.key): null }", at: first.mark)
  }

  /// Reports a key about the contents of an extension that the certificate lacks.
  private func checkExtensions(of description: CertificateDescription) {
    let words: [(key: String, name: CertificateDescription.CommonExtension)] = [
      ("keyUsage", .keyUsage), ("extendedKeyUsage", .extendedKeyUsage), ("pathLength", .basicConstraints),
    ]
    for (key, name) in words where !description.has(name) {
      guard let written = node(description)?[key], !written.isNull else { continue }
      sink.error(
        "'\(key)' needs the \(name.rawValue) extension, which '\(description.name)' does not have",
        hint: "add \(name.rawValue) to extensions, or leave out \(key)", at: written.mark)
    }
  }

  /// Checks that the user's setting is written only once, as `trustSettings` or in short as `trust`.
  private func checkTrust(of description: CertificateDescription) {
    let settings: [CertificateDescription.Store] = [.user, .installedNotTrusted, .denied, .asked]
    guard description.trustSettings != nil, settings.contains(description.trust) else { return }
    sink.error(
      "'trust: \(description.trust.rawValue)' and 'trustSettings' both set the user's trust",
      hint: "if trustSettings is set, trust must be system, distrusted or none", at: mark("trustSettings", description))
  }

  /// The keys that describe how a certificate is issued.
  private static let ofIssuing: Set<String> = [
    "issuer", "names", "key", "signature", "days", "notBefore", "notAfter", "commonName", "organization", "serial",
    "version", "extensions", "keyUsage", "extendedKeyUsage", "pathLength", "nameConstraints", "break", "crossSigns",
    "entropy", "sharesPrimeWith", "smoothPrime", "mustStaple", "explicitCurve", "spoofsKeyOf", "proxy",
  ]

  /// Checks that a cross-certificate is for the key of another certificate that is not itself a cross-certificate.
  private func checkCrossSigned(by description: CertificateDescription) {
    guard let name = description.crossSigned else { return }
    let names = all.map(\.name).filter { $0 != description.name }
    guard let other = all.first(where: { $0.name == name }), name != description.name else {
      return sink.error(
        "unknown certificate '\(name)' in crossSigns", hint: Spelling.hint(for: name, among: names),
        at: mark("crossSigns", description))
    }
    if other.crossSigned != nil {
      sink.error(
        "'\(name)' is itself a cross-certificate", hint: "name the owner of the key: \(other.crossSigned ?? "")",
        at: mark("crossSigns", description))
    }
    if description.entropy != nil || description.sharesPrimeWith != nil || description.hasSmoothPrime
      || node(description)?["key"] != nil
    {
      sink.error(
        "'\(description.name)' has the key of '\(name)' and cannot describe its own key",
        hint: "leave out key, entropy, sharesPrimeWith and smoothPrime", at: mark("crossSigns", description))
    }
  }

  /// Checks that explicit parameters have a curve, and a spoofed key an owner with such a key.
  private func checkCurve(of description: CertificateDescription) {
    if description.spellsOutCurve, description.spoofedKey == nil, !description.key.isOnCurve {
      sink.error(
        "the key of '\(description.name)' has no curve", hint: "write key: ec-p256",
        at: mark("explicitCurve", description))
    }
    guard let name = description.spoofedKey else { return }
    let names = all.map(\.name).filter { $0 != description.name }
    guard let other = all.first(where: { $0.name == name }), name != description.name else {
      return sink.error(
        "unknown certificate '\(name)' in spoofsKeyOf", hint: Spelling.hint(for: name, among: names),
        at: mark("spoofsKeyOf", description))
    }
    if other.pem == nil, !other.key.isOnCurve {
      sink.error(
        "'\(name)' has no EC key, so '\(description.name)' cannot spoof it", hint: "write key: ec-p256 for '\(name)'",
        at: mark("spoofsKeyOf", description))
    }
    if description.crossSigned != nil || node(description)?["key"] != nil {
      sink.error(
        "'\(description.name)' has the key of '\(name)' and cannot describe its own key",
        hint: "leave out key and crossSigns", at: mark("spoofsKeyOf", description))
    }
  }

  /// Checks the exceptions of entries under `distrusts`.
  private func checkExceptions(of description: CertificateDescription) {
    let names = all.map(\.name)
    for name in description.distrusts.flatMap(\.except) where !names.contains(name) {
      sink.error(
        "unknown certificate '\(name)' in 'except'", hint: Spelling.hint(for: name, among: names),
        at: node(description)?["distrust"]?.mark(of: name) ?? description.mark)
    }
  }

  /// Checks that a key with weak primes is an RSA key with only one weakness.
  private func checkWeakness(of description: CertificateDescription) {
    let weaknesses = [
      ("entropy", description.entropy != nil), ("sharesPrimeWith", description.sharesPrimeWith != nil),
      ("smoothPrime", description.hasSmoothPrime),
    ].filter(\.1).map(\.0)
    let isOther = !description.key.isRSA || description.spoofedKey != nil
    for key in weaknesses where isOther && description.pem == nil && description.crossSigned == nil {
      sink.error(
        "'\(description.name)' has no RSA key, so its key has no primes",
        hint: "write key: rsa-2048, or leave out \(key)", at: mark(key, description))
    }
    guard description.hasSmoothPrime else { return }
    if description.entropy != nil || description.sharesPrimeWith != nil {
      sink.error(
        "the key of '\(description.name)' has two weaknesses",
        hint: "write only one of entropy, sharesPrimeWith and smoothPrime", at: mark("smoothPrime", description))
    }
  }

  /// Reports certificates that cannot be created.
  private func checkForm(of description: CertificateDescription) {
    checkEnds(of: description)
    checkWeakness(of: description)
    let validity = description.validity(scenario.epoch)
    if validity.notAfter < validity.notBefore {
      let isUsual = description.notBefore == nil
      sink.error(
        "'\(description.name)' would expire before it becomes valid"
          + (isUsual ? " (by default on \(validity.notBefore.day))" : ""),
        hint: isUsual
          ? "also write notBefore: \(validity.notAfter.adding(days: -description.defaultDays).day)"
          : "write notAfter after notBefore",
        at: node(description)?["notAfter"]?.mark ?? mark("notBefore", description))
    }
    let issuer = all.first { $0.name == (description.issuer ?? description.crossSigned ?? description.name) }
    if description.signature == "md5", case .ec? = issuer?.key {
      sink.error(
        "an elliptic-curve key cannot sign with MD5", hint: "use an RSA issuer, or write sha1",
        at: mark("signature", description))
    }
  }

  /// Checks that a certificate has only one end of validity. A row may replace one of the two keys by the other.
  private func checkEnds(of description: CertificateDescription) {
    guard scenario.caseName == Scenario.mainCase, description.days != nil, description.notAfter != nil,
      let days = node(description)?.entries?.first(where: { $0.key == "days" && !$0.value.isNull }),
      let end = node(description)?.entries?.first(where: { $0.key == "notAfter" && !$0.value.isNull }),
      days.mark.file == end.mark.file
    else { return }
    sink.error(
      "'days' and 'notAfter' of '\(description.name)' exclude each other", hint: "keep one of them",
      at: max(days.mark, end.mark))
  }

  /// Checks the signers of CRLs and the entries that are removed from them.
  private func checkRevocation(of description: CertificateDescription) {
    let authorities = scenario.authorities.map(\.name)
    if let signer = description.list?.signer, !authorities.contains(signer) || signer == description.name {
      let isOwn = signer == description.name
      sink.error(
        isOwn ? "'\(signer)' signs its own CRL by default" : "unknown CA '\(signer)' as signer of the CRL",
        hint: isOwn ? "leave out signer" : Spelling.hint(for: signer, among: authorities),
        at: node(description)?["crl"]?["signer"]?.mark ?? mark("crl", description))
    }
    if description.reason != nil, description.revoked == nil {
      sink.error(
        "'\(description.name)' has a revocation reason, but was never revoked", hint: "write revoked: with a date",
        at: mark("reason", description))
    }
    guard let released = description.released else { return }
    if let reason = description.reason, reason != .certificateHold {
      sink.error(
        "a CRL never releases a certificate that was revoked for \(reason.name) (RFC 5280 section 5.3.1)",
        hint: "write reason: certificateHold, or leave out released", at: mark("reason", description))
    }
    if description.revoked.map({ $0 >= released }) ?? true {
      sink.error(
        "'\(description.name)' is released before it is revoked", hint: "write revoked: with an earlier date",
        at: mark("released", description))
    }
  }

  /// Reports two CAs that publish at the same URL.
  private func checkLocations() {
    var seen: Set<String> = []
    for description in all {
      guard let url = description.issuerLocation, !seen.insert(url).inserted else { continue }
      sink.error(
        "two certificates are published at '\(url)'", hint: "give each certificate its own URL",
        at: mark("caIssuers", description))
    }
  }

  private func node(_ description: CertificateDescription) -> Node? {
    scenario.tree[description.isCA ? "authorities" : "certificates"]?[description.name]
  }

  private func mark(_ key: String, _ description: CertificateDescription) -> SourceMark {
    node(description)?[key]?.mark ?? description.mark
  }
}
