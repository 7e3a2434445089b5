import Advice
import Endpoint
import Explanation
import LiveTLS
import PKIX
import TLS
import URLLoading

// What a probe that takes whatever it is shown makes of a server's certificates, and why where there are none.
extension LiveConversation {
  /// The certificates that the server of `place` has shown, its own first; none where its own cannot be read. Another one
  /// that cannot is passed over, and said to be: what is extraneous is no hindrance (RFC 8446 section 4.4.2).
  func chain(of place: String) -> [Certificate] {
    var chain: [Certificate] = []
    for (index, der) in certificates.enumerated() {
      do throws(CertificateError) { chain.append(try Certificate(der: der)) } catch {
        guard index > 0 else { return [] }
        Console.complain("passed over: certificate \(index + 1) of \(place) cannot be read: \(error)")
      }
    }
    return chain
  }

  /// Why there are no certificates: the server agrees to nothing, or to what nobody has offered.
  var refusal: AppTransportSecurity.ServerTerms.Refusal {
    if let serverAlert { return .alert(serverAlert) }
    if brokenRule == .closedEarly { return .closing }
    if let alert = client.alert, !alert.isFromServer, let rule = brokenRule {
      return .broken(rule, by: alert.description)
    }
    return hasTimedOut ? .silence : .closed
  }

  /// The same in a few words: a server that has begun its answer says nothing more.
  var refusalWords: String {
    guard refusal == .silence, receivedCount > 0 else { return refusal.words }
    if serverHello != nil { return "it says nothing more after its ServerHello" }
    return "it says nothing more after \(receivedCount) \(receivedCount == 1 ? "byte" : "bytes")"
  }

  /// The rule by which the client gives up; nil where it does not.
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
  /// What the server does, in a few words.
  var words: String {
    switch self {
    case .alert(let alert): "it says \(alert)"
    case .broken(let rule, let alert): "its answer breaks \(rule.id), and a client gives up with \(alert)"
    case .closing: "it says close_notify"
    case .closed: "it ends the connection"
    case .silence: "it says nothing"
    }
  }
}
