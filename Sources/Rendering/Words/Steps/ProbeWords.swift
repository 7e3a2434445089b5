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
        "nothing \(hasReceived ? "more " : "")arrived within \(seconds) s",
        "The client stops waiting after this time. Set a longer time with --timeout.")
    case .foreignRedirect(let target):
      EventWords(
        "the response redirects to a URL with the scheme \(target.scheme)",
        "TrustLab does not follow redirects here. It is unknown how systems treat a redirect to \(target): Apple "
          + "documents only redirects to HTTP URLs.")
    case .blockedRedirect(let redirection, let url, let errors):
      EventWords(
        "App Transport Security would block the redirect",
        "\(redirection.status) redirects the app from \(url) to \(redirection.url). TrustLab does not follow redirects "
          + "here. The app's load would end there with an error: "
          + "\(errors.map { "\($0.description) \($0.name)" }.joined(separator: ", ")).")
    case .tooOld(let agreed):
      EventWords(
        "the server does not support TLS 1.3, and nothing older is allowed",
        "A probe that offered every version agreed on \(agreed.version) and \(agreed.cipherSuite.name), which do not "
          + "meet the requirements of App Transport Security.")
    case .notModelled(let suite, let os, let newest, let meetsRequirements):
      newest.words(suite, os, meetsRequirements)
    case .tooNew(let newest):
      EventWords(
        "the server supports only TLS 1.3, which is not offered",
        "\(Self.probed), \(Self.unanswered) The newest version offered here is \(newest).")
    case .refusedInTLS13(let alert): Self.refusedInTLS13(alert)
    case .notProbed(let errors):
      EventWords(
        "it is unknown whether the server supports TLS 1.3",
        "A further connection that offered TLS 1.3 failed: "
          + errors.joined(separator: "; ") + ".")
    case .noCommonProtocol(let offered, let notPlayed, let os): Self.noCommonProtocol(offered, notPlayed, os)
    case .unrecognizedName:
      EventWords(
        "the server has no such host",
        "The server responds to the name in server_name with unrecognized_name and ends the handshake (RFC 6066 "
          + "section 3).")
    case .certificatesRefused(let isNext): Self.certificatesRefused(isNext)
    case .noCommonVersion(let offered):
      EventWords(
        "the server supports none of the offered versions",
        "The server responds to the ClientHello with protocol_version, the alert for a known but unsupported version "
          + "(RFC 5246 section 7.2.2). The client offers \(offered).")
    case .noCommonSuite:
      EventWords(
        "the server accepts none of the offered suites",
        "The server responds with handshake_failure, as RFC 5246 section 7.4.1.3 requires if no offered set of "
          + "algorithms is acceptable. The client lacks a suite, or a group or signature algorithm that a suite needs.")
    case .certificateRequired(let alert, let hasMisfit):
      Self.certificateRequired(alert, hasMisfit)
    }
  }

  private static func certificateRequired(_ alert: AlertDescription, _ hasMisfit: Bool) -> EventWords {
    let narration =
      "The server sent a CertificateRequest, received an empty Certificate message, and gave up with \(alert) (RFC "
      + "5246 section 7.4.6)."
    return hasMisfit
      ? EventWords(Actor(.client, "the client's"), "identity does not fit the request", narration)
      : EventWords("the server requires a certificate and received none", narration)
  }

  fileprivate static let probed =
    "A probe that offered TLS 1.3 with a key share (RFC 8446 section 4.2.8) received a ServerHello of that version"
  fileprivate static let unanswered = "and a ClientHello without that version received none."

  private static func outOfTime(
    _ seconds: Int64, _ byteCount: Int, _ messages: [String], _ awaited: [String]
  ) -> EventWords {
    let whole =
      messages.last.map {
        "\(messages.count) complete TLS \(messages.count == 1 ? "message" : "messages"), the last \($0)"
      } ?? "no complete TLS message"
    let part = awaited.joined(separator: " or ")
    return EventWords(
      .client, "stops waiting: \(seconds) s in total",
      "The server was never silent for longer than --timeout, but had not finished after \(seconds) s. This is the "
        + "limit for a whole connection, six times --timeout. By then, \(byteCount) bytes had arrived: \(whole)"
        + (part.isEmpty ? "." : ", and at most a part of \(part)."))
  }

  private static func refusedInTLS13(_ alert: AlertDescription) -> EventWords {
    let what =
      switch alert {
      case .handshakeFailure: "there is no common suite, group or signature algorithm (RFC 8446 section 4.1.1)"
      case .unrecognizedName: "it has no host with this name (RFC 6066 section 3)"
      case .noApplicationProtocol: "it supports none of the application protocols (RFC 7301 section 3.2)"
      default: "the alert gives the reason (RFC 8446 section 6.2)"
      }
    return EventWords(
      alert == .handshakeFailure
        ? "the server supports only TLS 1.3, and accepts no part of that offer"
        : "the server supports only TLS 1.3, and responds with \(alert)",
      "A ClientHello without TLS 1.3 received protocol_version; a probe with TLS 1.3 received \(alert). The server "
        + "therefore supports TLS 1.3, but \(what).")
  }

  private static func noCommonProtocol(_ offered: [String], _ notPlayed: [String], _ os: OSVersion) -> EventWords {
    let (own, others) = (offered.joined(separator: ", "), notPlayed.joined(separator: ", "))
    return notPlayed.isEmpty
      ? EventWords(
        "the server supports none of the offered protocols",
        "The server responds to the ALPN extension with no_application_protocol (RFC 7301 "
          + "section 3.2). \(os) offers only \(own).")
      : EventWords(
        "the server supports no protocol that TrustLab offers",
        "The server responds to the ALPN extension with no_application_protocol (RFC 7301 section 3.2). TrustLab "
          + "offers only \(own), but \(os) also offers \(others).")
  }

  private static func certificatesRefused(_ isNext: Bool) -> EventWords {
    isNext
      ? EventWords(
        "the server's certificates would be refused too",
        "Without the requirements of App Transport Security, the server continued and presented its certificates. The "
          + "certificates did not cause this failure, but would cause the next one.")
      : EventWords(
        "the server's certificates would be refused",
        "Without the ALPN extension, the server continued and presented its certificates. A system that offers a "
          + "supported protocol would receive them.")
  }
}

extension ProbeEvent.Newest {
  fileprivate func words(_ suite: CipherSuite, _ os: OSVersion, _ meetsRequirements: Bool) -> EventWords {
    let demands = meetsRequirements ? " The version and the suite meet the requirements of App Transport Security." : ""
    let (title, why) =
      switch self {
      case .serversOnly: ("the server supports only TLS 1.3", "\(ProbeEvent.probed), \(ProbeEvent.unanswered)")
      case .serversChoice:
        ("the server accepts only TLS 1.3", "\(ProbeEvent.probed), \(ProbeEvent.unanswered)")
      case .appsOnly:
        (
          "only TLS 1.3 is allowed",
          "\(ProbeEvent.probed). App Transport Security allows no older version, so none is offered."
        )
      }
    return EventWords(
      "\(title), which is not modelled",
      "\(why) \(os) also offers TLS 1.3. The probe agreed on \(suite.name).\(demands) It is unknown whether the system "
        + "trusts the server's certificates, because they are encrypted and were not examined.")
  }
}
