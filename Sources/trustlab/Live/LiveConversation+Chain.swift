import Advice
import Endpoint
import Explanation
import LiveTLS
import PKIX
import TLS
import URLLoading

// The server's certificates from a probe that accepts any server, or the reason why there are none.
extension LiveConversation {
  /// Returns the certificates of the server, its own first; empty if its own certificate is unreadable.
  ///
  /// Another unreadable certificate is skipped with a message, because extraneous certificates do no harm (RFC 8446
  /// section 4.4.2).
  func chain(of place: String) -> [Certificate] {
    var chain: [Certificate] = []
    for (index, der) in certificates.enumerated() {
      do throws(CertificateError) { chain.append(try Certificate(der: der)) } catch {
        guard index > 0 else { return [] }
        Console.complain("note: ignoring certificate \(index + 1) of \(place), which cannot be read: \(error)")
      }
    }
    return chain
  }

  /// The reason why there are no certificates: the server refuses, or selects a value that the client did not offer.
  var refusal: AppTransportSecurity.ServerTerms.Refusal {
    if let serverAlert { return .alert(serverAlert) }
    if brokenRule == .closedEarly { return .closing }
    if let alert = client.alert, !alert.isFromServer, let rule = brokenRule {
      return .broken(rule, by: alert.description)
    }
    return hasTimedOut ? .silence : .closed
  }

  /// The refusal in a few words. A server that has started to respond sends nothing more.
  var refusalWords: String {
    guard refusal == .silence, receivedCount > 0 else { return refusal.words }
    if serverHello != nil { return "it sends nothing after its ServerHello" }
    return "it sends nothing after \(receivedCount) \(receivedCount == 1 ? "byte" : "bytes")"
  }

  /// The rule for which the client aborts the connection; nil if it does not.
  private var brokenRule: Rule? {
    for effect in moments.flatMap(\.effects) {
      let findings: [Finding] =
        switch effect {
        case .found(let found): found
        case .decided(let decision): decision.findings
        default: []
        }
      if let rule = findings.deciding.first { return rule }
    }
    return nil
  }
}

extension AppTransportSecurity.ServerTerms.Refusal {
  /// The server's action in a few words.
  var words: String {
    switch self {
    case .alert(let alert): "it sends \(alert)"
    case .broken(let rule, let alert): "its response violates \(rule.id), so a client sends \(alert)"
    case .closing: "it sends close_notify"
    case .closed: "it closes the connection"
    case .silence: "it sends nothing"
    }
  }
}
