import Explanation

/// Checks what entries of the hierarchy say of each other beside who signs them.
struct HierarchyCheck {
  let scenario: Scenario
  let sink: DiagnosticSink

  func run() {
    for description in all {
      checkCrossSigned(by: description)
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

  /// A log of which nobody has a timestamp is a slip.
  private func checkLogs() {
    let used = all.flatMap { $0.timestamps?.logs ?? [] }
    for name in scenario.logs.keys.sorted() where !used.contains(name) {
      sink.error(
        "no certificate has a timestamp of the log '\(name)'",
        hint: used.isEmpty ? "write timestamps: [\(name)]" : Spelling.hint(for: name, among: used),
        at: scenario.tree["logs"]?.entries?.first { $0.key == name }?.mark ?? scenario.tree.mark)
    }
  }

  private var all: [CertificateDescription] { scenario.authorities + scenario.certificates }

  /// What is read from a file has what the file says, and nothing of what is written beside it.
  private func checkFile(of description: CertificateDescription) {
    guard description.pem != nil, let entries = node(description)?.entries else { return }
    let ignored = entries.filter { Self.ofIssuing.contains($0.key) && !$0.value.isNull }
    guard let first = ignored.first else { return }
    let names = ignored.map { "'\($0.key)'" }.joined(separator: ", ")
    sink.error(
      "'\(description.name)' is read from a file, and \(names) would be ignored",
      hint: "leave out pem, or \(names); a row takes a key away with null: { \(first.key): null }", at: first.mark)
  }

  /// What an extension says, a certificate without it does not say.
  private func checkExtensions(of description: CertificateDescription) {
    let words: [(key: String, name: CertificateDescription.UsualExtension)] = [
      ("keyUsage", .keyUsage), ("extendedKeyUsage", .extendedKeyUsage), ("pathLength", .basicConstraints),
    ]
    for (key, name) in words where !description.has(name) {
      guard let written = node(description)?[key], !written.isNull else { continue }
      sink.error(
        "'\(description.name)' has no \(name.rawValue) by its extensions, and \(key) says what is in it",
        hint: "add \(name.rawValue) to extensions, or leave out \(key)", at: written.mark)
    }
  }

  /// What the user set is said once: by `trustSettings`, or in short by `trust`.
  private func checkTrust(of description: CertificateDescription) {
    let settings: [CertificateDescription.Store] = [.user, .installedNotTrusted, .denied, .asked]
    guard description.trustSettings != nil, settings.contains(description.trust) else { return }
    sink.error(
      "'\(description.trust.rawValue)' is what the user set, and trustSettings says that too",
      hint: "beside trustSettings, trust is system, distrusted or none", at: mark("trustSettings", description))
  }

  /// The words that say how a certificate is issued.
  private static let ofIssuing: Set<String> = [
    "issuer", "names", "key", "signature", "days", "notBefore", "notAfter", "commonName", "organization", "serial",
    "version", "extensions", "keyUsage", "extendedKeyUsage", "pathLength", "nameConstraints", "break", "crossSigns",
    "entropy", "sharesPrimeWith", "mustStaple",
  ]

  /// A cross-certificate is for a key that its own owner has.
  private func checkCrossSigned(by description: CertificateDescription) {
    guard let name = description.crossSigned else { return }
    let names = all.map(\.name).filter { $0 != description.name }
    guard let other = all.first(where: { $0.name == name }), name != description.name else {
      return sink.error(
        "unknown certificate '\(name)' to sign across", hint: Spelling.hint(for: name, among: names),
        at: mark("crossSigns", description))
    }
    if other.crossSigned != nil {
      sink.error(
        "'\(name)' is a cross-certificate itself", hint: "name the one whose key it is: \(other.crossSigned ?? "")",
        at: mark("crossSigns", description))
    }
    if description.entropy != nil || description.sharesPrimeWith != nil || node(description)?["key"] != nil {
      sink.error(
        "'\(description.name)' has the key of '\(name)' and cannot say how it was made",
        hint: "leave out key, entropy and sharesPrimeWith", at: mark("crossSigns", description))
    }
  }

  /// Whom a list of distrust spares.
  private func checkExceptions(of description: CertificateDescription) {
    let names = all.map(\.name)
    for name in description.distrusts.flatMap(\.except) where !names.contains(name) {
      sink.error(
        "unknown certificate '\(name)' among the exceptions", hint: Spelling.hint(for: name, among: names),
        at: node(description)?["distrust"]?.mark(of: name) ?? description.mark)
    }
  }

  /// What cannot be made.
  private func checkForm(of description: CertificateDescription) {
    checkEnds(of: description)
    let validity = description.validity(scenario.epoch)
    if validity.notAfter < validity.notBefore {
      let isUsual = description.notBefore == nil
      sink.error(
        "'\(description.name)' would expire before it becomes valid"
          + (isUsual ? ", which is \(validity.notBefore.day) where notBefore is left out" : ""),
        hint: isUsual
          ? "write notBefore, too, such as notBefore: \(validity.notAfter.adding(days: -description.usualDays).day)"
          : "notAfter comes after notBefore",
        at: node(description)?["notAfter"]?.mark ?? mark("notBefore", description))
    }
    let issuer = all.first { $0.name == (description.issuer ?? description.crossSigned ?? description.name) }
    if description.signature == "md5", case .ec? = issuer?.key {
      sink.error(
        "an elliptic-curve key does not sign with MD5", hint: "let an RSA key sign, or write sha1",
        at: mark("signature", description))
    }
  }

  /// A certificate has one end; a row may put one in the place of the other.
  private func checkEnds(of description: CertificateDescription) {
    guard scenario.caseName == Scenario.mainCase, description.days != nil, description.notAfter != nil,
      let days = node(description)?.entries?.first(where: { $0.key == "days" && !$0.value.isNull }),
      let end = node(description)?.entries?.first(where: { $0.key == "notAfter" && !$0.value.isNull }),
      days.mark.file == end.mark.file
    else { return }
    sink.error(
      "'days' and 'notAfter' of '\(description.name)' exclude each other", hint: "say once when it expires",
      at: max(days.mark, end.mark))
  }

  /// Who signs lists, and what comes off them again.
  private func checkRevocation(of description: CertificateDescription) {
    let authorities = scenario.authorities.map(\.name)
    if let signer = description.list?.signer, !authorities.contains(signer) || signer == description.name {
      let isOwn = signer == description.name
      sink.error(
        isOwn ? "'\(signer)' signs its own list without saying so" : "unknown authority '\(signer)' to sign the list",
        hint: isOwn ? "leave out signer" : Spelling.hint(for: signer, among: authorities),
        at: node(description)?["crl"]?["signer"]?.mark ?? mark("crl", description))
    }
    if description.reason != nil, description.revoked == nil {
      sink.error(
        "'\(description.name)' has a reason and was never revoked", hint: "write revoked: with a date",
        at: mark("reason", description))
    }
    guard let released = description.released else { return }
    if let reason = description.reason, reason != .certificateHold {
      sink.error(
        "what was revoked for \(reason.name) never comes off the list: RFC 5280 section 5.3.1",
        hint: "write reason: certificateHold, or leave out released", at: mark("reason", description))
    }
    if description.revoked.map({ $0 >= released }) ?? true {
      sink.error(
        "'\(description.name)' would come off the list before it is on it", hint: "write revoked: with an earlier date",
        at: mark("released", description))
    }
  }

  /// Two authorities cannot publish at one place.
  private func checkLocations() {
    var seen: Set<String> = []
    for description in all {
      guard let url = description.issuerLocation, !seen.insert(url).inserted else { continue }
      sink.error(
        "two certificates are published at '\(url)'", hint: "give each its own", at: mark("caIssuers", description))
    }
  }

  private func node(_ description: CertificateDescription) -> Node? {
    scenario.tree[description.isAuthority ? "authorities" : "certificates"]?[description.name]
  }

  private func mark(_ key: String, _ description: CertificateDescription) -> SourceMark {
    node(description)?[key]?.mark ?? description.mark
  }
}
