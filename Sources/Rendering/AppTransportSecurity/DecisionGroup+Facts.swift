import Explanation
import TLS
import URLLoading

extension DecisionGroup {
  /// Everything there is to say, in order; `lists` names the lists of cipher suites.
  func facts(_ lists: SuiteLists) -> [Document.Fact] {
    var facts = [Document.Fact("decided by", decider)]
    if !decision.because.isEmpty {
      facts.append(.init("violates", RichText(decision.because.map(\.id).joined(separator: ", "), .name)))
    }
    if decision.load.url.isSecure { facts += demands(lists) }
    facts.append(.init("transparency", "\(transparency)"))
    if !decision.appReview.isEmpty {
      facts.append(.init("App Review", "asks why \(decision.appReview.joined(separator: ", "))"))
    }
    let errors = decision.errors.map { "\($0.description)\($0.name.isEmpty ? "" : " (\($0.name))")" }
    facts.append(.init("error", "\(errors.joined(separator: ", "))"))
    facts.append(.init("fix", "\(fix)"))
    facts += openPoints.compactMap(\.note).map { .init("not certain", "\($0)") }
    return facts
  }

  /// What helps; where hosts differ, so do the fixes, and it is the rule's own, for any host.
  private var fix: String {
    let fixes = decision.fixes.first ?? ""
    if decisions.allSatisfy({ $0.fixes.first ?? "" == fixes }) { return fixes }
    return Rule.urlLoading.first { $0 == decision.because.first }?.fix ?? ""
  }

  /// The key that decided and for which domain, and what it did.
  private var decider: RichText {
    let path = decision.decidedBy
    if path == "default" { return "\(decision.reason)" }
    // The last dot is before a key; those of the domain come earlier.
    let prefix = "NSExceptionDomains."
    guard path.hasPrefix(prefix) else { return RichText(path, .name) + RichText(": \(decision.reason)") }
    let rest = path.dropFirst(prefix.count)
    guard let dot = rest.lastIndex(of: "."), rest[dot...].hasPrefix(".NS") else {
      return RichText("the entry ") + RichText(String(rest), .name) + RichText(": \(decision.reason)")
    }
    return RichText(String(rest[rest.index(after: dot)...]), .name) + RichText(" of ")
      + RichText(String(rest[..<dot]), .name) + RichText(": \(decision.reason)")
  }

  private var openPoints: [Finding.Confidence] {
    // How well a list of suites is known stands beside the list.
    decision.notes.filter { $0 != decision.requirements?.confidence || decision.requirements?.cipherSuites == nil }
  }

  private var transparency: String {
    let finding = decision.findings.first { $0.rule == .atsCertificateTransparency }
    guard finding != nil else { return "" }
    return decision.requiresCertificateTransparency
      ? "NSRequiresCertificateTransparency = YES demands timestamps"
      : "NSRequiresCertificateTransparency is obsolete and ignored: publicly trusted certificates need timestamps anyway"
  }

  private func demands(_ lists: SuiteLists) -> [Document.Fact] {
    let mayLoosen = decision.trustMayBeLoosened
    guard let requirements = decision.requirements else {
      return [.init("TLS", "as the session has it; a delegate may accept an untrusted server")] + more
    }
    let exchange = requirements.requiresForwardSecrecy ? "ECDHE" : "ECDHE or RSA key exchange"
    var server = ["RSA 2048 or EC 256 bits"].filter { _ in requirements.requiresKeySize }
    if requirements.requiresLeafHash { server.append("signed with SHA-256 or better") }
    return [
      .init("TLS", "\(requirements.minimumVersion) or later, \(exchange), suites \(lists.caption(for: decisions))"),
      .init("certificate", "\(server.joined(separator: ", "))"),
      .init(
        "a delegate",
        mayLoosen ? "may accept an untrusted server; the lines above stay" : "cannot accept an untrusted server"),
    ] + more
  }

  private var more: [Document.Fact] {
    var facts: [Document.Fact] = []
    if let niap = decision.niapDemand {
      facts.append(
        .init(
          "NIAP",
          "\(niap.package.rawValue) by \(niap.keyPath): extended master secret, no SHA-1, certificates signed as offered"
        ))
    }
    guard let pins = decision.pinnedIdentities else { return facts }
    let kinds = [(pins.leaf, "leaf"), (pins.authorities, "authority")].compactMap { hashes, kind in
      hashes.map { $0.isEmpty ? "no \(kind) at all: every chain is refused" : "one of \($0.count) \(kind) keys" }
    }
    return facts + [.init("pins", "\(kinds.joined(separator: ", and ")) (\(pins.keyPaths.joined(separator: ", ")))")]
  }
}
