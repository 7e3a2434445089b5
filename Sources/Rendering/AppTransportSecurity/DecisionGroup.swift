import Explanation
import TLS
import Trust
import URLLoading

/// Loads about which everything is decided alike, with what there is to say about them.
struct DecisionGroup {
  /// The decisions; the first of them stands for all.
  private(set) var decisions: [AppTransportSecurity.Decision]
  let decision: AppTransportSecurity.Decision

  init(_ decision: AppTransportSecurity.Decision) {
    self.decision = decision
    decisions = [decision]
  }

  /// Takes a load in when it is decided like the others.
  mutating func takes(_ other: AppTransportSecurity.Decision) -> Bool {
    guard Facts(other) == Facts(decision) else { return false }
    decisions.append(other)
    return true
  }

  /// What distinguishes decisions. What is demanded of TLS matters to loads with TLS only.
  private struct Facts: Hashable {
    let verdict: AppTransportSecurity.Decision.Verdict
    let isSecure: Bool
    let because: [String]
    let standing: AppTransportSecurity.Decision.Standing
    let decidedBy: String
    let minimumVersion: ProtocolVersion?
    let cipherSuites: [CipherSuite]?
    let demands: [Bool]
    let appReview: [String]
    let transparency: Bool
    let errors: [AppError]
    let confidence: Finding.Confidence

    init(_ decision: AppTransportSecurity.Decision) {
      verdict = decision.verdict
      isSecure = decision.load.url.isSecure
      because = decision.because.map(\.id)
      standing = decision.standing
      decidedBy = decision.decidedBy
      let requirements = isSecure ? decision.requirements : nil
      minimumVersion = requirements?.minimumVersion
      cipherSuites = requirements?.cipherSuites
      demands =
        requirements.map { [$0.requiresForwardSecrecy, $0.requiresKeySize, $0.requiresLeafHash] } ?? []
      appReview = decision.appReview
      transparency = decision.requiresCertificateTransparency
      errors = decision.errors
      confidence = decision.confidence
    }
  }
}

extension DecisionGroup {
  /// Which loads these are: `http://api.example/ on iOS 9, iOS 10`.
  var title: String {
    var loads: [(url: String, systems: [String])] = []
    for load in decisions.map(\.load) {
      let url = load.url.description
      if loads.last?.url == url {
        loads[loads.count - 1].systems.append(load.os.description)
      } else {
        loads.append((url, [load.os.description]))
      }
    }
    return loads.map { "\($0.url) on \($0.systems.joined(separator: ", "))" }.joined(separator: "; ")
  }

  /// The cipher suites that secure loads are offered with; nil where they are left alone.
  var suites: [CipherSuite]? { decision.load.url.isSecure ? decision.requirements?.cipherSuites : nil }

  /// Everything there is to say, in order; `suites` names the list of cipher suites that are offered.
  func facts(suites: String?) -> [Document.Fact] {
    var facts = [Document.Fact("decided by", RichText(decision.decidedBy, .name) + RichText(": \(standing)"))]
    for rule in decision.because {
      facts.append(.init("because", RichText(rule.id, .name) + RichText(": \(rule.statement)")))
    }
    if decision.verdict == .unknown {
      facts.append(.init("unknown", "\(decision.findings.compactMap(\.confidence.note).first ?? "")"))
    }
    if decision.load.url.isSecure { facts += demands(suites: suites) }
    if decision.requiresCertificateTransparency { facts.append(.init("transparency", "the app demands it")) }
    if !decision.appReview.isEmpty {
      facts.append(.init("App Review", "asks why: \(decision.appReview.joined(separator: ", "))"))
    }
    let errors = decision.errors.map { "\($0.description)\($0.name.isEmpty ? "" : " (\($0.name))")" }
    facts.append(.init("the app sees", "\(errors.joined(separator: ", "))"))
    for rule in decision.because { facts.append(.init("fix", "\(rule.fix)")) }
    if decision.verdict != .unknown { facts.append(.init("confidence", "\(decision.confidence.note ?? "")")) }
    return facts
  }

  /// Why App Transport Security is in force, or is not.
  private var standing: String {
    let isDefault = decision.decidedBy == "default"
    switch decision.standing {
    case .inForce: return isDefault ? "in force, since nothing lifts it" : "in force"
    case .lifted: return isDefault ? "lifted, by an exception that every app has" : "lifted"
    case .notApplicable(let exemption): return "not applied, since \(exemption.rawValue)"
    }
  }

  private func demands(suites: String?) -> [Document.Fact] {
    let trust = Document.Fact(
      "server trust",
      decision.trustMayBeLoosened
        ? "the app itself may accept a server that the system does not trust"
        : "the app cannot accept a server that the system does not trust")
    guard let requirements = decision.requirements else {
      return [.init("TLS", "version and cipher suites are left to the session"), trust]
    }
    var server = ["RSA of 2048 bits or a curve of 256 bits"].filter { _ in requirements.requiresKeySize }
    if requirements.requiresLeafHash { server.append("signed with SHA-2 of 256 bits") }
    return [
      .init("TLS", "at least \(requirements.minimumVersion.description)"),
      .init("cipher suites", "\(suites ?? "left to the session")"),
      .init(
        "key exchange", requirements.requiresForwardSecrecy ? "ECDHE: forward secrecy" : "ECDHE or RSA"),
      .init("server's key", "\(server.joined(separator: ", "))"), trust,
    ]
  }
}
