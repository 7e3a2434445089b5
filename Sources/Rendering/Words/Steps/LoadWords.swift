import Endpoint
import Explanation
import TLS
import URLLoading

extension LoadEvent {
  /// The words for a decision about a load; `client` is the name of the endpoint that decides.
  func words(client: Actor) -> EventWords {
    switch self {
    case .upgraded(let url, let secure): Self.upgraded(url, to: secure, client)
    case .transportSecurity(let decision): decision.words
    case .nothingOffered(let offer): Self.nothingOffered(offer)
    case .identityImported(let imported): imported.words
    case .loaderUnavailable(let loader, let os):
      EventWords(
        "There is no \(loader.rawValue)",
        "\(os) does not have \(loader.rawValue): nothing is loaded, and there is nothing to judge.")
    case .identityObtained(let party, let value, let sources): Self.obtained(value, by: party, sources)
    case .identityMissing(let party, let value, let isStolen): Self.missing(value, by: party, isStolen)
    case .tunnelOpened(let target):
      EventWords(
        "the proxy has opened a tunnel to \(target)",
        "Whatever comes now is for the server: the proxy passes bytes on, and reads what everybody reads.")
    case .tunnelRefused(let response):
      EventWords(
        "there is no tunnel: \(response)",
        "What a proxy answers to CONNECT is never the app's response: the load fails. A device may ask its user for the "
          + "proxy's password besides, in a dialog of the system's own.")
    case .failed(let failure): Self.failed(failure, client)
    case .connectionLost(let inHandshake): Self.connectionLost(inHandshake, client)
    case .fellBack(let fallback): fallback.words(client: client)
    case .withoutTransportSecurity(let result): result.words
    case .webSocketRefused(let rule): EventWords(client, "gives up: no WebSocket", rule.statement)
    case .webSocketOpened: Self.webSocketOpened
    case .received(let count):
      EventWords(
        "the app receives the content",
        "The URL Loading System hands \(count) bytes of content to the app: the load is accepted.")
    case .responseDelivered(let status):
      EventWords(
        "the app receives \(status)", "The response is handed to the app as it is. What was asked for is not in it.")
    case .responseRejected(let fault): EventWords(client, "gives up: \(fault.reason)", fault.statement)
    case .redirected(let redirection):
      EventWords(
        client, "is redirected to \(redirection.url)",
        "\(redirection.status) sends the load on. The next hop is judged as a load of its own, by App Transport "
          + "Security as well.")
    case .redirectLoop(let redirection):
      EventWords(
        client, "gives up: a redirect loop",
        "\(redirection.status) leads back to \(redirection.url): the same answer would come again.")
    case .tooManyRedirects(let redirection, let number):
      EventWords(
        client, "gives up: too many redirects",
        "\(redirection.status) leads to \(redirection.url), which would be redirect \(number) of the load.")
    case .hostNotFound(let host, let rule): EventWords(client, "finds nobody at \(host)", rule.statement)
    }
  }

  private static func upgraded(_ url: LoadURL, to secure: LoadURL, _ client: Actor) -> EventWords {
    EventWords(
      client, "makes https of \(url.description)",
      "It knows that \(url.host) wants HTTPS alone (RFC 6797), and asks for \(secure.description): nothing "
        + "travels over plain HTTP that anyone could hold back or change.")
  }

  private static func nothingOffered(_ offer: ClientConfiguration) -> EventWords {
    EventWords(
      "App Transport Security leaves nothing of the offer",
      "The app names \(offer.versions.upperBound) as its newest version and "
        + "\(offer.cipherSuites.first?.name ?? "no suite") as its first suite; what App Transport Security demands is not "
        + "among what it names. No ClientHello is sent.")
  }

  private static func obtained(_ value: Value.ID, by party: Party, _ sources: [Value.ID]) -> EventWords {
    EventWords(
      Actor(named: party), "has \(value)",
      "Nobody gave it away: it follows from what was read on the network"
        + (sources.isEmpty ? "." : ", from \(sources.joined(separator: ", "))."))
  }

  private static func missing(_ value: Value.ID, by party: Party, _ isStolen: Bool) -> EventWords {
    EventWords(
      Actor(named: party), "has no \(value)",
      isStolen
        ? "Nothing that was read on the network leads to the key: whoever stands there has a certificate at best, which "
          + "proves nothing."
        : "No server has answered with the file so far: there is nothing to import.")
  }

  private static func failed(_ failure: HandshakeFailure, _ client: Actor) -> EventWords {
    failure.isOwn
      ? EventWords(client, "gives up: \(failure.alert)", failure.finding.rule.statement)
      : EventWords(
        client, "learns: \(failure.alert)", "The server has ended the connection with the alert \(failure.alert).")
  }

  private static func connectionLost(_ inHandshake: Bool, _ client: Actor) -> EventWords {
    inHandshake
      ? EventWords(
        client, "gives up: the connection is gone",
        "It has ended within the handshake, with neither an alert nor close_notify: the server, or whoever "
          + "is on the path, has closed it, and nothing says why.")
      : EventWords(
        client, "gives up: no close_notify",
        "Nobody under protection said that this is the end: whoever is on the path can end a connection.")
  }

  private static let webSocketOpened = EventWords(
    "the WebSocket is open",
    "The server has made Sec-WebSocket-Accept of the client's key: it is no cached answer of HTTP. That "
      + "takes no secret, and says nothing of who the server is. No data is played: the client closes the WebSocket.")
}

extension LoadEvent.Fallback {
  fileprivate func words(client: Actor) -> EventWords {
    let reason = alert.map { "The server answered \($0)." } ?? "No answer has come."
    let signal =
      isSignalled
      ? "TLS_FALLBACK_SCSV among its suites says that this is a second try (RFC 7507)."
      : "Nothing in it says that this is a second try."
    return EventWords(
      client, "asks again, with \(version) at most",
      "\(reason) A server that cannot do better may have done that, or someone on the way. \(signal)"
        + (confidence.note.map { " (\($0).)" } ?? ""))
  }
}

extension LoadEvent.Counterfactual {
  fileprivate var words: EventWords {
    guard case .agreed(let version, let suite, let meetsRequirements) = self else {
      return EventWords(
        "without ATS they would not have agreed either",
        "The system's own offer, played against the same server, finds nothing in common: App Transport "
          + "Security is not to blame.")
    }
    let came = "The system's own offer, played against the same server, comes to \(version) and \(suite.name)"
    return meetsRequirements
      ? EventWords(
        "without ATS the server would have agreed, though ATS demands nothing that it fails",
        "\(came), which meets the demands of App Transport Security. The hello on record that the system sends "
          + "under it does not offer that all the same.")
      : EventWords(
        "without ATS the server would have agreed",
        "\(came): the demands of App Transport Security are what it fails.")
  }
}

extension HTTPFault {
  /// What is wrong with a response.
  fileprivate var reason: String {
    switch rule {
    case _ where isTooMuch: "the response is more than this program reads"
    case .incompleteMessage: "the response is incomplete"
    case .malformedFrame: "no frame of a WebSocket"
    default: "no response of HTTP/1.1"
    }
  }

  /// The statement of the rule, or that a limit of this program decided.
  var statement: String {
    isTooMuch
      ? "How much of a message is read is a bound of this program: whoever sent more may have made no fault."
      : rule.statement
  }
}

extension AppTransportSecurity.Decision {
  fileprivate var words: EventWords {
    let url = load.url.description
    switch (verdict, standing) {
    case (.blocked, _):
      return EventWords(
        "App Transport Security blocks the load", "The app may not load \(url) (\(decider)): no byte is sent.")
    case (_, .notApplicable):
      return EventWords(
        "App Transport Security does not apply",
        "\(load.os) with \(load.loader.rawValue) loads \(url) without it."
          + (confidence.note.map { " \($0.prefix(1).uppercased())\($0.dropFirst())." } ?? ""))
    case (_, .lifted):
      return EventWords(
        "App Transport Security lets the load pass", "The app's Info.plist lifts it for \(url) (\(decider)).")
    default:
      return EventWords(
        "App Transport Security is in force",
        "The load of \(url) must meet its demands (\(decider)): they narrow what the client offers.")
    }
  }

  private var decider: String { decidedBy == "default" ? "by default" : "by \(decidedBy)" }
}

extension PKCS12Import {
  fileprivate var words: EventWords {
    let call = "SecPKCS12Import of \(os)"
    if let limit {
      return EventWords(
        "what the app imports of \(name) is not known",
        "TrustLab does not compute this: \(limit). What \(call) returns is not known; the load goes on "
          + "without an identity.")
    }
    if let error {
      return EventWords(
        "the app cannot import \(name)",
        "\(call) answers \(error.registration?.name ?? "") (\(error.code)): there is no identity, and the app goes "
          + "on without one.")
    }
    let names = items.map { $0.chain.first?.displayName ?? "" }
    return names.isEmpty
      ? EventWords(
        "the app finds no identity in \(name)",
        "\(call) succeeds and returns no items: whoever takes the first one crashes.")
      : EventWords(
        "the app imports \(name)",
        "\(call) opens it: the identity is \(names.joined(separator: ", ")). It is in the memory of the process, and "
          + "nowhere else until the app stores it.")
  }
}
