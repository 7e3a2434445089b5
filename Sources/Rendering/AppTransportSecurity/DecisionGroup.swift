import Explanation
import TLS
import Trust
import URLLoading

/// Loads with identical decisions, and their facts.
///
/// The lists of cipher suites may differ, because they depend on the system.
struct DecisionGroup {
  /// The decisions of the group. The first one represents all of them.
  private(set) var decisions: [AppTransportSecurity.Decision]
  let decision: AppTransportSecurity.Decision

  init(_ decision: AppTransportSecurity.Decision) {
    self.decision = decision
    decisions = [decision]
  }

  /// Adds a load if its decision equals the decisions of the group. Returns whether it was added.
  mutating func takes(_ other: AppTransportSecurity.Decision) -> Bool {
    guard Facts(other) == Facts(decision) else { return false }
    decisions.append(other)
    return true
  }

  /// The properties that distinguish decisions. TLS requirements are compared only for loads with TLS.
  private struct Facts: Hashable {
    let verdict: AppTransportSecurity.Decision.Verdict
    let isSecure: Bool
    let because: [String]
    let canBeListed: Bool
    let reason: String
    let decidedBy: String
    let minimumVersion: ProtocolVersion?
    let demands: [Bool]
    let appReview: [String]
    let errors: [AppError]
    let doubts: [Finding.Confidence]
    let niap: AppTransportSecurity.NIAPDemand?
    let others: [String]
    let pins: AppTransportSecurity.PinnedIdentities?
    let lacksRequiredPins: Bool

    init(_ decision: AppTransportSecurity.Decision) {
      verdict = decision.verdict
      isSecure = decision.load.url.isSecure
      because = decision.because.map(\.id)
      canBeListed = decision.canBeListed
      reason = decision.reason
      decidedBy = decision.decidedBy
      let requirements = isSecure ? decision.requirements : nil
      minimumVersion = requirements?.minimumVersion
      demands =
        requirements.map {
          [$0.requiresForwardSecrecy, $0.requiresKeySize, $0.requiresLeafHash, $0.cipherSuites == nil]
        } ?? []
      appReview = decision.appReview
      errors = decision.errors
      doubts = decision.doubts
      niap = decision.niapDemand
      others = decision.otherDemands
      pins = decision.pinnedIdentities
      lacksRequiredPins = decision.lacksRequiredPins
    }
  }
}

extension DecisionGroup {
  /// The loads of the group: `http://api.example/ on iOS 9, 10`.
  var title: String {
    var urls: [(url: String, systems: [OSVersion])] = []
    for load in decisions.map(\.load) {
      let url = load.url.description
      if urls.last?.url == url {
        urls[urls.count - 1].systems.append(load.os)
      } else {
        urls.append((url, [load.os]))
      }
    }
    return urls.map { "\($0.url) on \(Self.names($0.systems))" }.joined(separator: "; ")
  }

  /// Returns the systems grouped by family: `iOS 9, 10, 18.4, macOS 15`.
  static func names(_ systems: [OSVersion]) -> String {
    var family: OSVersion.Family?
    return systems.map { system in
      defer { family = system.family }
      let name = system.description
      let isRepeated = system.family == family && system.family != .documentation
      return isRepeated ? String(name.drop { $0 != " " }.dropFirst()) : name
    }.joined(separator: ", ")
  }

  /// Returns the facts in order. `lists` contains the names of the lists of cipher suites.
  func facts(_ lists: SuiteLists) -> [Document.Fact] {
    var facts = [Document.Fact("decided by", decider)]
    if !decision.because.isEmpty {
      facts.append(.init("violates", RichText(decision.because.map(\.id).joined(separator: ", "), .name)))
    }
    if decision.load.url.isSecure { facts += demands(lists) }
    facts.append(.init("transparency", "\(transparency)"))
    if !decision.appReview.isEmpty {
      facts.append(.init("App Review", "requires a justification for \(decision.appReview.joined(separator: ", "))"))
    }
    let errors = decision.errors.map { "\($0.description)\($0.name.isEmpty ? "" : " (\($0.name))")" }
    facts.append(.init("error", "\(errors.joined(separator: ", "))"))
    facts.append(.init("fix", "\(fix)"))
    // The ~ above marks a doubt about the verdict itself. Other open points concern the requirements.
    facts += openPoints.compactMap { point in
      point.note.map { .init(point == decision.confidence ? "not certain" : "also unknown", "\($0)") }
    }
    return facts
  }

  /// The fix. If the hosts have different fixes, it is the rule's general fix.
  private var fix: String {
    let fixes = decision.fixes.first ?? ""
    if decisions.allSatisfy({ $0.fixes.first ?? "" == fixes }) { return fixes }
    return Rule.urlLoading.first { $0 == decision.because.first }?.fix ?? ""
  }

  /// The key that determined the decision, its domain, and its effect.
  private var decider: RichText {
    let did = RichText(": \(decision.reason)")
    return switch decision.decider {
    case .byDefault: "the default: \(decision.reason)"
    case .key(let key): RichText(key.name, .name) + did
    case .entry(let domain, nil): RichText("the entry ") + RichText(domain, .name) + did
    case .entry(let domain, let key?): RichText(key.name, .name) + RichText(" of ") + RichText(domain, .name) + did
    }
  }

  private var openPoints: [Finding.Confidence] {
    // The confidence of a list of suites is shown with the list.
    decision.notes.filter { $0 != decision.requirements?.confidence || decision.requirements?.cipherSuites == nil }
  }

  private var transparency: String {
    let finding = decision.findings.first { $0.rule == .atsCertificateTransparency }
    guard finding != nil else { return "" }
    if decision.profile.name == .ios9 {
      return "systems before iOS 10 and macOS 10.12 ignore NSRequiresCertificateTransparency"
    }
    return decision.requiresCertificateTransparency
      ? "NSRequiresCertificateTransparency = YES requires SCTs"
      : "NSRequiresCertificateTransparency is obsolete and ignored: publicly trusted certificates always need SCTs"
  }

  private func demands(_ lists: SuiteLists) -> [Document.Fact] {
    let mayLoosen = decision.trustMayBeLoosened
    guard let requirements = decision.requirements else {
      return [.init("TLS", "the session's default; a delegate may accept an untrusted server")] + more
    }
    let exchange = requirements.requiresForwardSecrecy ? "ECDHE" : "ECDHE or RSA key exchange"
    var server = ["RSA 2048 or EC 256 bits"].filter { _ in requirements.requiresKeySize }
    if requirements.requiresLeafHash { server.append("signed with SHA-256 or better") }
    return [
      .init("TLS", "\(requirements.minimumVersion) or later, \(exchange), suites \(lists.caption(for: decisions))"),
      .init("certificate", "\(server.joined(separator: ", "))"),
      .init(
        "a delegate",
        mayLoosen
          ? "may accept an untrusted server; the requirements above stay"
          : "cannot accept an untrusted server"),
    ] + more
  }

  private var more: [Document.Fact] {
    var facts: [Document.Fact] = []
    for words in decision.otherDemands { facts.append(.init("also", "\(words)")) }
    if let niap = decision.niapDemand {
      facts.append(
        .init(
          "NIAP",
          "\(niap.package.rawValue) by \(niap.keyPath): extended master secret, no SHA-1, certificates signed with "
            + "offered algorithms"
        ))
    }
    if decision.lacksRequiredPins {
      facts.append(
        .init(
          "pins",
          "required, but the host has none, so every chain is refused "
            + "(\(AppTransportSecurity.Key.pinningRequired.name))"))
    }
    guard let pins = decision.pinnedIdentities else { return facts }
    let kinds = [(pins.leaf, "leaf"), (pins.authorities, "CA")].compactMap { hashes, kind in
      // A key that is listed twice counts once.
      hashes.map { hashes in
        hashes.isEmpty ? "no \(kind) keys, so every chain is refused" : "one of \(Set(hashes).count) \(kind) keys"
      }
    }
    return facts + [.init("pins", "\(kinds.joined(separator: ", and ")) (\(pins.keyPaths.joined(separator: ", ")))")]
  }
}

extension AppTransportSecurity.Decision {
  /// The requirements without a line of their own, in words.
  fileprivate var otherDemands: [String] {
    AppTransportSecurity.Demand.all.filter { !$0.isOfContract }.compactMap { demand in
      guard case .flag(let flag, let path) = demand.content, self[keyPath: path] else { return nil }
      return flag.words(isOn: true)
    }
  }
}
