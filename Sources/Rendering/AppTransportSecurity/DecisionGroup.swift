import Explanation
import TLS
import Trust
import URLLoading

/// Loads about which everything is decided alike, with what there is to say about them.
///
/// The lists of suites may differ: they belong to the systems.
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
    let canBeListed: Bool
    let reason: String
    let decidedBy: String
    let minimumVersion: ProtocolVersion?
    let demands: [Bool]
    let appReview: [String]
    let errors: [AppError]
    let doubts: [Finding.Confidence]
    let niap: AppTransportSecurity.NIAPDemand?
    let pins: AppTransportSecurity.PinnedIdentities?

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
      pins = decision.pinnedIdentities
    }
  }
}

extension DecisionGroup {
  /// Which loads these are: `http://api.example/ on iOS 9, 10`.
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

  /// Systems, the family's name once: `iOS 9, 10, 18.4, macOS 15`.
  static func names(_ systems: [OSVersion]) -> String {
    var family: OSVersion.Family?
    return systems.map { system in
      defer { family = system.family }
      let name = system.description
      let isRepeated = system.family == family && system.family != .documentation
      return isRepeated ? String(name.drop { $0 != " " }.dropFirst()) : name
    }.joined(separator: ", ")
  }
}
