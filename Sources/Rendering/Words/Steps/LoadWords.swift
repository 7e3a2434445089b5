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
        "\(loader.rawValue) is not available",
        "\(os) does not have \(loader.rawValue): nothing is loaded, so there is nothing to evaluate.")
    case .identityObtained(let party, let value, let sources): Self.obtained(value, by: party, sources)
    case .identityMissing(let party, let value, let isStolen): Self.missing(value, by: party, isStolen)
    case .tunnelOpened(let target):
      EventWords(
        "the proxy has opened a tunnel to \(target)",
        "All further bytes are for the server. The proxy relays them and, like everyone on the path, can read only "
          + "those that are not encrypted.")
    case .tunnelRefused(let response):
      EventWords(
        "the proxy opens no tunnel: \(response)",
        "The app never receives a proxy's response to CONNECT: the load fails. A device may also ask its user for the "
          + "proxy's password in a system dialog.")
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
        "\(redirection.status) redirects the load. App Transport Security treats the next hop as a new load.")
    case .redirectLoop(let redirection):
      EventWords(
        client, "gives up: a redirect loop",
        "\(redirection.status) leads back to \(redirection.url), which would return the same response again.")
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
      "The client knows that \(url.host) requires HTTPS (RFC 6797), so it requests \(secure.description). It sends "
        + "nothing over plain HTTP that an attacker could suppress or change.")
  }

  private static func nothingOffered(_ offer: ClientConfiguration) -> EventWords {
    EventWords(
      "App Transport Security allows nothing that the app offers",
      "The app sets \(offer.versions.upperBound) as its newest version and "
        + "\(offer.cipherSuites.first?.name ?? "no suite") as its first suite. App Transport Security allows no part "
        + "of this offer, so no ClientHello is sent.")
  }

  private static func obtained(_ value: Value.ID, by party: Party, _ sources: [Value.ID]) -> EventWords {
    EventWords(
      Actor(named: party), "has \(value)",
      "The value was not disclosed, but can be computed from data on the network"
        + (sources.isEmpty ? "." : ": \(sources.joined(separator: ", "))."))
  }

  private static func missing(_ value: Value.ID, by party: Party, _ isStolen: Bool) -> EventWords {
    EventWords(
      Actor(named: party), "has no \(value)",
      isStolen
        ? "Nothing on the network reveals the private key. The attacker has at most the certificate, which alone "
          + "proves nothing."
        : "No server has sent the file, so there is nothing to import.")
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
        "The connection ended during the handshake, without an alert or close_notify. The server or an attacker on the "
          + "path closed it; the reason is unknown.")
      : EventWords(
        client, "gives up: no close_notify",
        "No protected message announced the end. An attacker on the path may have closed the connection.")
  }

  private static let webSocketOpened = EventWords(
    "the WebSocket is open",
    "The server computed Sec-WebSocket-Accept from the client's key, so this is not a cached HTTP response. The "
      + "computation needs no secret and does not identify the server. TrustLab simulates no data: the client closes "
      + "the WebSocket.")
}

extension LoadEvent.Fallback {
  fileprivate func words(client: Actor) -> EventWords {
    let reason = alert.map { "The server responded with \($0)." } ?? "No response arrived."
    let signal =
      isSignalled
      ? "TLS_FALLBACK_SCSV among the cipher suites marks this attempt as a retry (RFC 7507)."
      : "Nothing marks this attempt as a retry."
    return EventWords(
      client, "retries with at most \(version)",
      "\(reason) The cause may be a server that supports no newer version, or an attacker on the path. \(signal)"
        + (confidence.note.map { " (\($0).)" } ?? ""))
  }
}

extension LoadEvent.Counterfactual {
  fileprivate var words: EventWords {
    switch self {
    case .refused(let confidence):
      EventWords(
        "without ATS, the handshake would have failed too",
        "The system's own offer has nothing in common with this server either, so App Transport Security is not the "
          + "cause.\(confidence.sentence)")
    case .agreed(let version, let suite, let meetsRequirements): Self.agreed(version, suite, meetsRequirements)
    }
  }

  private static func agreed(
    _ version: ProtocolVersion, _ suite: CipherSuite, _ meetsRequirements: Bool
  ) -> EventWords {
    let came = "With the system's own offer, the same server agrees to \(version) and \(suite.name)"
    return meetsRequirements
      ? EventWords(
        "without ATS, the server would have agreed, although it meets the requirements of ATS",
        "\(came). This combination meets the requirements of App Transport Security. However, the system's recorded "
          + "ClientHello under App Transport Security does not offer it.")
      : EventWords(
        "without ATS, the server would have agreed",
        "\(came). This combination does not meet the requirements of App Transport Security.")
  }
}

extension Finding.Confidence {
  /// The note as a sentence after others; empty if there is none.
  var sentence: String { note.map { " \($0.prefix(1).uppercased())\($0.dropFirst())." } ?? "" }
}

extension HTTPFault {
  /// The problem with a response in words.
  fileprivate var reason: String {
    switch rule {
    case _ where isTooMuch: "the response exceeds TrustLab's limit"
    case .incompleteMessage: "the response is incomplete"
    case .malformedFrame: "the data is not a WebSocket frame"
    default: "the data is not an \(isHTTP2 ? "HTTP/2" : "HTTP/1.1") response"
    }
  }

  /// The statement of the rule, or the statement that a limit of this program decided.
  var statement: String {
    isTooMuch
      ? "TrustLab limits the length of a message. A longer message may be correct."
      : rule.violation
  }
}

extension AppTransportSecurity.Decision {
  fileprivate var words: EventWords {
    let url = load.url.description
    switch (verdict, standing) {
    case (.blocked, _):
      return EventWords(
        "App Transport Security blocks the load", "The app may not load \(url) (\(decider)), so nothing is sent.")
    case (_, .notApplicable):
      return EventWords(
        "App Transport Security does not apply",
        "\(load.os) with \(load.loader.rawValue) loads \(url) without App Transport Security."
          + confidence.sentence)
    case (_, .lifted):
      return EventWords(
        "App Transport Security allows the load",
        "The app's Info.plist turns off App Transport Security for \(url) (\(decider)).")
    default:
      return EventWords(
        "App Transport Security is in force",
        "The load of \(url) must meet the requirements of App Transport Security (\(decider)), which restrict the "
          + "client's offer.")
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
        "\(call) returns \(error.registration?.name ?? "") (\(error.code)). The app continues without an identity.")
    }
    let names = items.map { $0.chain.first?.displayName ?? "" }
    return names.isEmpty
      ? EventWords(
        "the app finds no identity in \(name)",
        "\(call) succeeds but returns no items. Code that takes the first item crashes.")
      : EventWords(
        "the app imports \(name)",
        "\(call) decrypts the file. The identity is \(names.joined(separator: ", ")). It exists only in the memory of "
          + "the process until the app stores it.")
  }
}
