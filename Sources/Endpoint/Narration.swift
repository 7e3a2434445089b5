import Explanation
import PKIX
import TLS
import Trust
import URLLoading

/// The words for what a client decides.
enum Narration {
  /// HTTP Strict Transport Security on a URL: RFC 6797 section 8.3.
  static func upgrade(of url: LoadURL, to secure: LoadURL) -> Decision {
    Decision(
      title: "the client makes https of \(url.description)",
      narration: "It knows that \(url.host) wants HTTPS alone (RFC 6797), and asks for \(secure.description): nothing "
        + "travels over plain HTTP that anyone could hold back or change.", findings: [])
  }

  /// App Transport Security on a load.
  static func decision(_ decision: AppTransportSecurity.Decision) -> Decision {
    let url = decision.load.url.description
    let key = decision.decidedBy == "default" ? "by default" : "by \(decision.decidedBy)"
    let title: String
    let narration: String
    switch (decision.verdict, decision.standing) {
    case (.blocked, _):
      title = "App Transport Security blocks the load"
      narration = "The app may not load \(url) (\(key)): no byte is sent."
    case (_, .notApplicable):
      title = "App Transport Security does not apply"
      narration =
        "\(decision.load.os) with \(decision.load.loader.rawValue) loads \(url) without it."
        + (decision.confidence.note.map { " \($0.prefix(1).uppercased())\($0.dropFirst())." } ?? "")
    case (_, .lifted):
      title = "App Transport Security lets the load pass"
      narration = "The app's Info.plist lifts it for \(url) (\(key))."
    default:
      title = "App Transport Security is in force"
      narration = "The load of \(url) must meet its demands (\(key)): they narrow what the client offers."
    }
    return Decision(title: title, narration: narration, findings: decision.findings)
  }

  /// Where a system looks for what is known of revocation.
  static func looking(_ sources: RevocationSources, on os: OSVersion) -> Decision {
    Decision(title: "\(os) looks for what is known of revocation", narration: sources.narration, findings: [])
  }

  /// App Transport Security on an offer of the app's own, of which nothing is left.
  static func nothingLeft(of offer: ClientConfiguration, _ findings: [Finding]) -> Decision {
    Decision(
      title: "App Transport Security leaves nothing of the offer",
      narration: "The app names \(offer.versions.upperBound) as its newest version and "
        + "\(offer.cipherSuites.first?.name ?? "no suite") as its first suite; what App Transport Security demands is not "
        + "among what it names. No ClientHello is sent.", findings: findings)
  }

  /// What SecPKCS12Import makes of a file.
  static func importing(_ imported: PKCS12Import) -> Decision {
    let call = "SecPKCS12Import of \(imported.os)"
    if let limit = imported.limit {
      return Decision(
        title: "what the app imports of \(imported.name) is not known",
        narration: "TrustLab does not compute this: \(limit). What \(call) returns is not known; the load goes on "
          + "without an identity.", findings: imported.findings)
    }
    guard let error = imported.error else {
      let names = imported.items.map { $0.chain.first?.displayName ?? "" }
      return Decision(
        title: names.isEmpty ? "the app finds no identity in \(imported.name)" : "the app imports \(imported.name)",
        narration: names.isEmpty
          ? "\(call) succeeds and returns no items: whoever takes the first one crashes."
          : "\(call) opens it: the identity is \(names.joined(separator: ", ")). It is in the memory of the process, and "
            + "nowhere else until the app stores it.", findings: imported.findings)
    }
    return Decision(
      title: "the app cannot import \(imported.name)",
      narration:
        "\(call) answers \(error.registration?.name ?? "") (\(error.code)): there is no identity, and the app goes "
        + "on without one.", findings: imported.findings)
  }

  /// A system that does not have what the app would load with.
  static func missing(_ loader: Loader, _ os: OSVersion) -> Decision {
    Decision(
      title: "There is no \(loader.rawValue)",
      narration: "\(os) does not have \(loader.rawValue): nothing is loaded, and there is nothing to judge.",
      findings: [])
  }

  /// A server's answer to "do I trust this client?".
  static func clientTrust(_ findings: [Finding], name: String) -> Decision {
    let violated = findings.deciding.map(\.id)
    let subject = violated.isEmpty ? "trusts" : "does not trust"
    let reason =
      violated.isEmpty
      ? "Every signature leads from \(name) to an authority that the server trusts for clients. Whether the client "
        + "holds the key, its CertificateVerify must show."
      : "Violated: \(violated.joined(separator: ", "))."
    return Decision(
      title: "the server \(subject) the client's certificate", narration: reason, findings: findings)
  }
}

extension ClientEndpoint.Configuration {
  /// Where the client's hello comes from, and what it leaves out; nil for a client that is no system's.
  public var helloNarration: String? {
    guard let offer else { return nil }
    let os = load.os
    if tls.versions.upperBound < min(offer.maximumVersion, .tls12) {
      let name = offer.hello.recording(for: os)
      return "Of the hello on record as \(name) it keeps what \(tls.versions.upperBound) has; "
        + "how the system writes it is not on record."
    }
    var sentences = [
      "It is the hello on record as \(offer.hello.recording(for: os)), but for what is new in every hello."
    ]
    switch offer.basis {
    case .recorded where offer.hello == .ats9 || load.loader.isWebView: break
    case .recorded: sentences.append("Likely: that an app of \(os) sends the browser's.")
    case .earlier, .later: sentences.append("Likely: that it stands for \(os), of which none is on record.")
    case .sameGeneration(let other):
      sentences.append("Likely: that it stands for \(os), of the generation of \(other), of which none is on record.")
    }
    if decision.requirements != nil, offer.hello != .ats9 {
      sentences.append("App Transport Security has taken out of it what it does not allow.")
    }
    if offer.leavesOutTLS13 { sentences.append("It goes without TLS 1.3, which is not played yet.") }
    return sentences.joined(separator: " ")
  }
}
