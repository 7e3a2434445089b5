import Endpoint
import Explanation
import TLS
import URLLoading

extension LoadEvent {
  /// Returns the words for a decision about a load. `client` is the endpoint that decides.
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
        "All further bytes are for the server: the proxy relays them, and can read only the clear ones, like "
          + "everyone on the path.")
    case .tunnelRefused(let response):
      EventWords(
        "there is no tunnel: \(response)",
        "The app never receives a proxy's response to CONNECT: the load fails. A device may also ask its user for "
          + "the proxy's password, in a dialog of the system.")
    case .failed(let failure): Self.failed(failure, client)
    case .connectionLost(let inHandshake): Self.connectionLost(inHandshake, client)
    case .fellBack(let fallback): fallback.words(client: client)
    case .withoutTransportSecurity(let result): result.words
    case .webSocketRefused(let rule): EventWords(client, "gives up: no WebSocket", rule.violation)
    case .webSocketOpened: Self.webSocketOpened
    case .received(let count):
      EventWords(
        "the app receives the content",
        "The URL Loading System passes \(count) bytes of content to the app: the load is accepted.")
    case .responseDelivered(let status):
      EventWords(
        "the app receives \(status)",
        "The app receives the response unchanged. It does not contain the requested content.")
    case .responseRejected(let fault): EventWords(client, "gives up: \(fault.reason)", fault.statement)
    case .redirected(let redirection):
      EventWords(
        client, "is redirected to \(redirection.url)",
        "\(redirection.status) redirects the load. The next hop is a new load, for App Transport Security too.")
    case .redirectLoop(let redirection):
      EventWords(
        client, "gives up: a redirect loop",
        "\(redirection.status) leads back to \(redirection.url): the same response would follow.")
    case .tooManyRedirects(let redirection, let number):
      EventWords(
        client, "gives up: too many redirects",
        "\(redirection.status) leads to \(redirection.url), which would be redirect \(number) of the load.")
    case .hostNotFound(let host, let rule): EventWords(client, "cannot find \(host)", rule.violation)
    }
  }

  private static func upgraded(_ url: LoadURL, to secure: LoadURL, _ client: Actor) -> EventWords {
    EventWords(
      client, "upgrades \(url.description) to https",
      "It knows that \(url.host) requires HTTPS (RFC 6797), and requests \(secure.description). It sends nothing "
        + "over plain HTTP that an attacker could suppress or change.")
  }

  private static func nothingOffered(_ offer: ClientConfiguration) -> EventWords {
    EventWords(
      "App Transport Security leaves nothing to offer",
      "The app names \(offer.versions.upperBound) as its newest version and "
        + "\(offer.cipherSuites.first?.name ?? "no suite") as its first suite. App Transport Security accepts "
        + "nothing of the app's offer. No ClientHello is sent.")
  }

  private static func obtained(_ value: Value.ID, by party: Party, _ sources: [Value.ID]) -> EventWords {
    EventWords(
      Actor(named: party), "has \(value)",
      "It was not disclosed: it is computed from data on the network"
        + (sources.isEmpty ? "." : ", from \(sources.joined(separator: ", "))."))
  }

  private static func missing(_ value: Value.ID, by party: Party, _ isStolen: Bool) -> EventWords {
    EventWords(
      Actor(named: party), "has no \(value)",
      isStolen
        ? "Nothing on the network reveals the key: the attacker has at most a certificate, which proves nothing."
        : "No server has sent the file so far: there is nothing to import.")
  }

  private static func failed(_ failure: HandshakeFailure, _ client: Actor) -> EventWords {
    failure.isOwn
      ? EventWords(client, "gives up: \(failure.alert)", failure.finding.rule.violation)
      : EventWords(
        client, "receives \(failure.alert)", "The server has ended the connection with the alert \(failure.alert).")
  }

  private static func connectionLost(_ inHandshake: Bool, _ client: Actor) -> EventWords {
    inHandshake
      ? EventWords(
        client, "gives up: the connection was closed",
        "It ended during the handshake, without an alert or close_notify. The server or an attacker on the path "
          + "closed it, for an unknown reason.")
      : EventWords(
        client, "gives up: no close_notify",
        "No protected message announced the end: an attacker on the path can close a connection.")
  }

  private static let webSocketOpened = EventWords(
    "the WebSocket is open",
    "The server computed Sec-WebSocket-Accept from the client's key, so this is not a cached HTTP response. That "
      + "takes no secret, and does not identify the server. No data is simulated: the client closes the WebSocket.")
}

extension LoadEvent.Fallback {
  fileprivate func words(client: Actor) -> EventWords {
    let reason = alert.map { "The server responded with \($0)." } ?? "No response has arrived."
    let signal =
      isSignalled
      ? "TLS_FALLBACK_SCSV among its suites marks it as a retry (RFC 7507)."
      : "Nothing marks it as a retry."
    return EventWords(
      client, "retries with at most \(version)",
      "\(reason) The cause may be a server without a newer version, or an attacker on the path. \(signal)"
        + (confidence.note.map { " (\($0).)" } ?? ""))
  }
}

extension LoadEvent.Counterfactual {
  fileprivate var words: EventWords {
    guard case .agreed(let version, let suite, let meetsRequirements) = self else {
      return EventWords(
        "without ATS the handshake would have failed too",
        "The system's own offer has nothing in common with the same server "
          + "either: App Transport Security is not the cause.")
    }
    let came = "With the system's own offer, the same server agrees to \(version) and \(suite.name)"
    return meetsRequirements
      ? EventWords(
        "without ATS the server would have agreed, although it meets the requirements of ATS",
        "\(came), which meet the requirements of App Transport Security. But the recorded ClientHello of the system "
          + "under App Transport Security does not offer them.")
      : EventWords(
        "without ATS the server would have agreed",
        "\(came), which do not meet the requirements of App Transport Security.")
  }
}

extension HTTPFault {
  /// The problem with a response in words.
  fileprivate var reason: String {
    switch rule {
    case _ where isTooMuch: "the response exceeds TrustLab's limit"
    case .incompleteMessage: "the response is incomplete"
    case .malformedFrame: "not a WebSocket frame"
    default: "not an HTTP/1.1 response"
    }
  }

  /// The statement of the rule, or the statement that a limit of this program decided.
  var statement: String {
    isTooMuch
      ? "The limit for a message is TrustLab's own: a longer message may be correct."
      : rule.violation
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
        "App Transport Security allows the load", "The app's Info.plist lifts it for \(url) (\(decider)).")
    default:
      return EventWords(
        "App Transport Security is in force",
        "The load of \(url) must meet its requirements (\(decider)). They restrict the client's offer.")
    }
  }

  private var decider: String { decidedBy == "default" ? "by default" : "by \(decidedBy)" }
}

extension PKCS12Import {
  fileprivate var words: EventWords {
    let call = "SecPKCS12Import on \(os)"
    if let limit {
      return EventWords(
        "the result of importing \(name) is unknown",
        "TrustLab does not compute this: \(limit). The result of \(call) is "
          + "unknown; the load continues without an identity.")
    }
    if let error {
      return EventWords(
        "the app cannot import \(name)",
        "\(call) returns \(error.registration?.name ?? "") (\(error.code)): there is no identity, and the app "
          + "continues without one.")
    }
    let names = items.map { $0.chain.first?.displayName ?? "" }
    return names.isEmpty
      ? EventWords(
        "the app finds no identity in \(name)",
        "\(call) succeeds and returns no items: code that takes the first item crashes.")
      : EventWords(
        "the app imports \(name)",
        "\(call) decrypts it: the identity is \(names.joined(separator: ", ")). It is only in the memory of the "
          + "process until the app stores it.")
  }
}
