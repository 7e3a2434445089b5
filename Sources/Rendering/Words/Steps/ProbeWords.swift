import Endpoint
import Explanation
import TLS
import Trust
import URLLoading

extension ProbeEvent {
  /// The words for a conclusion about a real server.
  var words: EventWords {
    switch self {
    case .outOfTime(let seconds, let byteCount, let messages, let awaited):
      Self.outOfTime(seconds, byteCount, messages, awaited)
    case .silent(let seconds, let hasReceived):
      EventWords(
        "nothing \(hasReceived ? "more " : "")came within \(seconds) s",
        "So long a silence is where this client gives up; --timeout has it wait longer.")
    case .foreignRedirect(let target):
      EventWords(
        "the answer leads to a URL of \(target.scheme)",
        "No redirect is followed here. How systems treat a redirect to \(target) is not known: Apple documents "
          + "only redirects to URLs of HTTP.")
    case .blockedRedirect(let redirection, let url, let errors):
      EventWords(
        "App Transport Security would block where the answer leads",
        "\(redirection.status) sends the app on from \(url) to \(redirection.url). No redirect is followed here; the "
          + "app's load would end there: \(errors.map { "\($0.description) \($0.name)" }.joined(separator: ", ")).")
    case .tooOld(let agreed):
      EventWords(
        "the server does not speak TLS 1.3, and nothing older may be spoken",
        "A probing hello with every version was answered with \(agreed.version) and "
          + "\(agreed.cipherSuite.name): the demands of App Transport Security are what it fails.")
    case .notModelled(let suite, let os, let newest, let meetsRequirements):
      newest.words(suite, os, meetsRequirements)
    case .tooNew(let newest):
      EventWords(
        "the server speaks only TLS 1.3: not on offer",
        "\(Self.probed), \(Self.unanswered) The newest version on offer here is \(newest).")
    case .refusedInTLS13(let alert): Self.refusedInTLS13(alert)
    case .notProbed(let errors):
      EventWords(
        "whether the server speaks TLS 1.3 is not known",
        "A further connection was to ask that, with a hello that offers it, and came to nothing: "
          + errors.joined(separator: "; ") + ".")
    case .noCommonProtocol(let offered, let notPlayed, let os): Self.noCommonProtocol(offered, notPlayed, os)
    case .unrecognizedName:
      EventWords(
        "the server answers for no such host",
        "It answers the name in server_name with unrecognized_name, and ends the handshake: RFC 6066 section 3.")
    case .certificatesRefused(let isNext): Self.certificatesRefused(isNext)
    case .noCommonVersion(let offered):
      EventWords(
        "the server speaks none of the versions",
        "It answers the hello with protocol_version: RFC 5246 section 7.2.2 has a server say so that knows the "
          + "versions on offer and takes none of them. On offer is \(offered).")
    case .noCommonSuite:
      EventWords(
        "the server takes none of the suites",
        "It answers the hello with handshake_failure, as RFC 5246 section 7.4.1.3 asks of a server that finds no "
          + "acceptable set of algorithms: a suite, or a group or signature that the suite needs.")
    case .certificateRequired(let alert, let hasMisfit):
      Self.certificateRequired(alert, hasMisfit)
    }
  }

  private static func certificateRequired(_ alert: AlertDescription, _ hasMisfit: Bool) -> EventWords {
    let narration =
      "It asked with a CertificateRequest, was answered with an empty Certificate message, and gave up with "
      + "\(alert): RFC 5246 section 7.4.6."
    return hasMisfit
      ? EventWords(Actor(.client, "the client's"), "identity does not fit the request", narration)
      : EventWords("the server demands a certificate, and was shown none", narration)
  }

  fileprivate static let probed =
    "A probing hello with a key share (RFC 8446 section 4.2.8) was answered with a ServerHello of TLS 1.3"
  fileprivate static let unanswered = "the hello without that version with none."

  private static func outOfTime(
    _ seconds: Int64, _ byteCount: Int, _ messages: [String], _ awaited: [String]
  ) -> EventWords {
    let whole =
      messages.last.map {
        "\(messages.count) whole \(messages.count == 1 ? "message" : "messages") of TLS, the last \($0)"
      } ?? "no whole message of TLS"
    let part = awaited.joined(separator: " or ")
    return EventWords(
      .client, "waits no longer: \(seconds) s in all",
      "The server was never silent for as long as it may be, and had not said all after \(seconds) s, which is "
        + "the limit of a whole connection: six times --timeout. Until then \(byteCount) bytes had come: \(whole)"
        + (part.isEmpty ? "." : ", and of \(part) a part at most."))
  }

  private static func refusedInTLS13(_ alert: AlertDescription) -> EventWords {
    let what =
      switch alert {
      case .handshakeFailure: "what is not is a suite, a group or a signature (RFC 8446 section 4.1.1)"
      case .unrecognizedName: "it has no host of the name (RFC 6066 section 3)"
      case .noApplicationProtocol: "no protocol inside is (RFC 7301 section 3.2)"
      default: "the alert tells why it goes no further (RFC 8446 section 6.2)"
      }
    return EventWords(
      alert == .handshakeFailure
        ? "the server speaks only TLS 1.3, and takes nothing of what was offered in it"
        : "the server speaks only TLS 1.3, and answers \(alert) in it",
      "A hello without TLS 1.3 was answered with protocol_version, a probing hello with it with \(alert): "
        + "the version is in common then, and \(what).")
  }

  private static func noCommonProtocol(_ offered: [String], _ notPlayed: [String], _ os: OSVersion) -> EventWords {
    let (own, others) = (offered.joined(separator: ", "), notPlayed.joined(separator: ", "))
    return notPlayed.isEmpty
      ? EventWords(
        "the server speaks no protocol that is on offer",
        "It answers the extension for application-layer protocols with no_application_protocol (RFC 7301 "
          + "section 3.2). \(os) offers \(own) alone.")
      : EventWords(
        "the server speaks no protocol that is played here",
        "It answers the extension for application-layer protocols with no_application_protocol (RFC 7301 section "
          + "3.2). \(own) alone is offered here; \(os) offers \(others) too.")
  }

  private static func certificatesRefused(_ isNext: Bool) -> EventWords {
    isNext
      ? EventWords(
        "what the server shows would be refused too",
        "Asked without what App Transport Security demands, the server went on and showed its certificates. "
          + "What is wrong with them is not why this load fails: it would be met next.")
      : EventWords(
        "what the server shows would be refused",
        "Asked without the extension for application-layer protocols, the server went on and showed its "
          + "certificates. That is what a system meets whose protocol it takes.")
  }
}

extension ProbeEvent.Newest {
  fileprivate func words(_ suite: CipherSuite, _ os: OSVersion, _ meetsRequirements: Bool) -> EventWords {
    let demands = meetsRequirements ? " Version and suite meet the demands of App Transport Security." : ""
    let (title, why) =
      switch self {
      case .serversOnly: ("the server speaks only TLS 1.3", "\(ProbeEvent.probed), \(ProbeEvent.unanswered)")
      case .serversChoice:
        ("the server takes nothing else than TLS 1.3", "\(ProbeEvent.probed), \(ProbeEvent.unanswered)")
      case .appsOnly:
        (
          "only TLS 1.3 may be spoken",
          "\(ProbeEvent.probed). App Transport Security leaves nothing else of the offer, and nothing else is sent."
        )
      }
    return EventWords(
      "\(title), which is not modelled",
      "\(why) \(os) offers it too; the probe came to \(suite.name).\(demands) Whether "
        + "it trusts what the server shows then is not known: that comes encrypted, and is not looked at.")
  }
}
