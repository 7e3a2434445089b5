import Endpoint
import Explanation
import LiveTLS
import Scenarios
import TLS
import URLLoading

// What is not played here, and what the app would meet where nothing is followed: nobody is blamed for it.
extension LiveInquiry {
  /// Whether App Transport Security leaves such a client TLS 1.3 alone.
  static func leavesTLS13Alone(_ configuration: ClientEndpoint.Configuration) -> Bool {
    let isLeft = configuration.namedOffer.map { configuration.decision.narrowing($0) != nil } ?? true
    return isLeft && configuration.tls.versions.lowerBound >= .tls13
  }

  /// Asks for a client that App Transport Security leaves TLS 1.3 alone, which is not played: a probing hello tells whether
  /// the server speaks it, and the app's own load sends nothing.
  func askForTLS13(_ configuration: ClientEndpoint.Configuration) throws(Diagnostics) -> Result {
    let probe = try converse(VersionProbe.probing(configuration))
    guard let hello = probe.serverHello else { return Result(conversation: probe) }
    // What the probe has offered is not the app's own hello, and is not shown as if it were.
    let result = Result(conversation: LiveClient.unsent(configuration, at: Clock.now))
    if hello.choosesTLS13 {
      result.conclusions = [Self.unseen(hello.cipherSuite, by: configuration, because: .appsOnly)]
    } else {
      result.shown = probe
      result.conclusions = [Self.tooOld(hello, for: configuration)]
    }
    return result
  }

  /// App Transport Security leaves TLS 1.3 alone, and the server does not speak it.
  private static func tooOld(_ hello: ServerHello, for configuration: ClientEndpoint.Configuration) -> Decision {
    let agreed = AppTransportSecurity.Negotiated(version: hello.selectedVersion, cipherSuite: hello.cipherSuite)
    return Decision(
      .probe(.tooOld(agreed)),
      configuration.decision.findings(on: agreed, enforcement: configuration.tls.enforcement)
        + impossibleVersion(hello, for: configuration))
  }

  /// That the server chooses what is no version, or TLS 1.3 otherwise than by supported_versions (RFC 8446 section 4.2.1):
  /// no demand of App Transport Security fails for that.
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

  /// That the app would be sent on to where App Transport Security does not let it go; nil where it would not.
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
  /// That the answer leads to a URL that is not of HTTP; nil where it does not.
  var foreignRedirect: Decision? {
    guard let target = client.foreignRedirection else { return nil }
    return Decision(.probe(.foreignRedirect(target)), [notEnded])
  }

  /// That nothing more has come for as long as the client waits; nil where something has.
  func silence(of seconds: Int64) -> Decision? {
    guard case .timedOut = ending else { return nil }
    return Decision(.probe(.silent(seconds: seconds, hasReceived: receivedCount > 0)), [notEnded])
  }

  /// That the server speaks none of the protocols inside that are offered here, which are fewer than the system's; nil where
  /// nothing says so.
  var missedProtocol: Decision? {
    let configuration = client.configuration
    let offered = configuration.tls.applicationProtocols
    let left = (configuration.offer?.applicationProtocols ?? []).filter { !offered.contains($0) }
    guard serverAlert == .noApplicationProtocol, !offered.isEmpty else { return nil }
    let (own, others) = (offered.map(\.description), left.map(\.description))
    if left.isEmpty { return Self.missed(own, configuration) }
    let finding = configuration.tls.enforcement.note(
      .noApplicationProtocol, on: .connection, .unknown, required: .anyOf(others), found: .words(own),
      confidence: .unknown("what the server makes of the protocols that the system offers and that are not played here")
    )
    return Decision(
      .probe(.noCommonProtocol(offered: own, notPlayed: others, configuration.decision.load.os)), [finding])
  }

  /// That the server answers for no host of the name; nil where nothing says so.
  var missedName: Decision? {
    guard serverAlert == .unrecognizedName, let name = client.hello?.extensions?.serverName else { return nil }
    return Decision(
      .probe(.unrecognizedName),
      [
        client.configuration.tls.enforcement.check(
          .unrecognizedName, on: .handshake(.clientHello), false, found: .word(name))
      ])
  }

  /// That the server speaks none of all the protocols inside that the system offers.
  private static func missed(_ offered: [String], _ configuration: ClientEndpoint.Configuration) -> Decision {
    Decision(
      .probe(.noCommonProtocol(offered: offered, notPlayed: [], configuration.decision.load.os)),
      [
        configuration.tls.enforcement.check(.noApplicationProtocol, on: .connection, false, found: .words(offered))
      ])
  }
}
