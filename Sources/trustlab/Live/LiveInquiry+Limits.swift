import Endpoint
import Explanation
import LiveTLS
import Scenarios
import TLS
import URLLoading

// Decisions about connections that TrustLab cannot continue, and about redirects that it does not follow.
extension LiveInquiry {
  /// Returns the decision that App Transport Security would block a redirect of the app; nil if it would not.
  func blockedRedirect(of conversation: LiveConversation) -> Decision? {
    guard let redirection = conversation.client.unfollowedRedirection else { return nil }
    var load = conversation.client.configuration.decision.load
    let asked = load.url
    load.url = redirection.url
    let onward = AppTransportSecurity.decide(load, by: app)
    guard onward.verdict == .blocked else { return nil }
    return Decision(
      .probe(.blockedRedirect(redirection, from: asked, onward.errors)), onward.findings.map(\.advising))
  }
}

extension LiveConversation {
  /// The decision that the server redirects to a URL that is not HTTP; nil if it does not.
  var foreignRedirect: Decision? {
    guard let target = client.foreignRedirection else { return nil }
    return Decision(.probe(.foreignRedirect(target)), [notEnded])
  }

  /// Returns the decision that the server sent nothing more until the timeout; nil if it did.
  func silence(of seconds: Int64) -> Decision? {
    guard case .timedOut = ending else { return nil }
    return Decision(.probe(.silent(seconds: seconds, hasReceived: receivedCount > 0)), [notEnded])
  }

  /// The decision that the server supports none of the offered application protocols; nil if nothing indicates this.
  var missedProtocol: Decision? {
    let configuration = client.configuration
    let offered = configuration.tls.applicationProtocols.map(\.description)
    guard serverAlert == .noApplicationProtocol, !offered.isEmpty else { return nil }
    let finding = configuration.tls.enforcement.check(
      .noApplicationProtocol, on: .connection, false, found: .words(offered))
    return Decision(.probe(.noCommonProtocol(offered: offered, configuration.decision.load.os)), [finding])
  }

  /// The decision that the server selected an application protocol that TrustLab does not support; nil if it did not.
  var otherProtocol: Decision? {
    guard client.stopsAfterHandshake, let chosen = client.parameters?.applicationProtocol else { return nil }
    let finding = client.configuration.tls.enforcement.note(
      .incompleteMessage, on: .connection, .unknown, found: .word(chosen.description),
      confidence: .unknown("the server's response: TrustLab sends requests only over HTTP/1.1 and HTTP/2"))
    return Decision(.probe(.otherProtocol(chosen)), [finding])
  }

  /// The decision that the server has no host of this name; nil if nothing indicates this.
  var missedName: Decision? {
    guard serverAlert == .unrecognizedName, let name = client.hello?.extensions?.serverName else { return nil }
    return Decision(
      .probe(.unrecognizedName),
      [
        client.configuration.tls.enforcement.check(
          .unrecognizedName, on: .handshake(.clientHello), false, found: .word(name))
      ])
  }
}
