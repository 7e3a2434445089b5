import Endpoint
import Explanation
import LiveTLS
import Scenarios
import TLS
import URLLoading

// Decisions about connections that TrustLab cannot continue, and about redirects that it does not follow.
extension LiveInquiry {
  /// Returns whether App Transport Security only allows the client to use TLS 1.3.
  static func leavesTLS13Alone(_ configuration: ClientEndpoint.Configuration) -> Bool {
    let isLeft = configuration.namedOffer.map { configuration.decision.narrowing($0) != nil } ?? true
    return isLeft && configuration.tls.versions.lowerBound >= .tls13
  }

  /// Probes a server for a client that may only use TLS 1.3 because of App Transport Security.
  ///
  /// TrustLab does not model TLS 1.3, so the app's own load sends nothing. The probe shows whether the server supports
  /// TLS 1.3.
  func askForTLS13(_ configuration: ClientEndpoint.Configuration) throws(Diagnostics) -> Result {
    let probe = try converse(VersionProbe.probing(configuration))
    guard let hello = probe.serverHello else { return Result(conversation: probe) }
    // The probe's ClientHello is not the app's own, so it is not shown.
    let result = Result(conversation: LiveClient.unsent(configuration, at: Clock.now))
    if hello.choosesTLS13 {
      result.conclusions = [Self.unseen(hello.cipherSuite, by: configuration, because: .appsOnly)]
    } else {
      result.shown = probe
      result.conclusions = [Self.tooOld(hello, for: configuration)]
    }
    return result
  }

  /// Returns the decision that the server lacks TLS 1.3, which is the only version that App Transport Security allows.
  private static func tooOld(_ hello: ServerHello, for configuration: ClientEndpoint.Configuration) -> Decision {
    let agreed = AppTransportSecurity.Negotiated(version: hello.selectedVersion, cipherSuite: hello.cipherSuite)
    return Decision(
      .probe(.tooOld(agreed)),
      configuration.decision.findings(on: agreed, enforcement: configuration.tls.enforcement)
        + impossibleVersion(hello, for: configuration))
  }

  /// Returns the finding that the server selects an unknown version, or TLS 1.3 without supported_versions (RFC 8446
  /// section 4.2.1).
  ///
  /// This finding violates no requirement of App Transport Security.
  private static func impossibleVersion(
    _ hello: ServerHello, for configuration: ClientEndpoint.Configuration
  ) -> [Finding] {
    guard hello.selectedVersion >= .tls13 else { return [] }
    return [
      configuration.tls.enforcement.check(
        .noCommonVersion, on: .handshake(.serverHello), false,
        required: .word("supported_versions: \(ProtocolVersion.tls13)"),
        found: .word("server_version: \(hello.serverVersion)"))
    ]
  }

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
  ///
  /// The client offers fewer protocols than the system.
  var missedProtocol: Decision? {
    let configuration = client.configuration
    let offered = configuration.tls.applicationProtocols
    let left = (configuration.offer?.applicationProtocols ?? []).filter { !offered.contains($0) }
    guard serverAlert == .noApplicationProtocol, !offered.isEmpty else { return nil }
    let (own, others) = (offered.map(\.description), left.map(\.description))
    if left.isEmpty { return Self.missed(own, configuration) }
    let finding = configuration.tls.enforcement.note(
      .noApplicationProtocol, on: .connection, .unknown, required: .anyOf(others), found: .words(own),
      confidence: .unknown("whether the server accepts the system's other protocols, which TrustLab does not model")
    )
    return Decision(
      .probe(.noCommonProtocol(offered: own, notPlayed: others, configuration.decision.load.os)), [finding])
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

  /// Returns the decision that the server supports none of the system's application protocols.
  private static func missed(_ offered: [String], _ configuration: ClientEndpoint.Configuration) -> Decision {
    Decision(
      .probe(.noCommonProtocol(offered: offered, notPlayed: [], configuration.decision.load.os)),
      [
        configuration.tls.enforcement.check(.noApplicationProtocol, on: .connection, false, found: .words(offered))
      ])
  }
}
