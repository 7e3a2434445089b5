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
    case .noCommonProtocol(let offered, let os):
      EventWords(
        "the server supports none of the offered protocols",
        "The server responds to the ALPN extension with no_application_protocol (RFC 7301 section 3.2). \(os) offers "
          + "only \(offered.joined(separator: ", ")).")
    case .otherProtocol(let chosen):
      EventWords(
        "the server selects \(chosen), which TrustLab does not speak",
        "The handshake is complete, and the certificates were evaluated. TrustLab sends requests only over HTTP/1.1 and "
          + "HTTP/2, so it sends none here. The server's response is unknown.")
    case .unrecognizedName:
      EventWords(
        "the server has no such host",
        "The server responds to the name in server_name with unrecognized_name and ends the handshake (RFC 6066 "
          + "section 3).")
    case .certificatesRefused:
      EventWords(
        "the server's certificates would be refused too",
        "Without the requirements of App Transport Security, the server continued and presented its certificates. The "
          + "certificates did not cause this failure, but would cause the next one.")
    case .noCommonVersion(let offered):
      EventWords(
        "the server supports none of the offered versions",
        "The server responds to the ClientHello with protocol_version, the alert for a known but unsupported version "
          + "(RFC 5246 section 7.2.2). The client offers \(offered).")
    case .noCommonSuite(offersTLS13: true):
      EventWords(
        "the server finds no acceptable set of parameters in the offer",
        "The server responds with handshake_failure. With TLS 1.3 this can mean that the two sides have no cipher suite, "
          + "no group or no signature scheme in common (RFC 8446 sections 4.1.1 and 4.4.2.2); the alert does not say "
          + "which. In earlier versions too, a suite is acceptable only with a common group and signature algorithm (RFC "
          + "5246 section 7.4.1.3).")
    case .noCommonSuite(offersTLS13: false):
      EventWords(
        "the server accepts none of the offered suites",
        "The server responds with handshake_failure, as RFC 5246 section 7.4.1.3 requires if no offered set of "
          + "algorithms is acceptable. The client lacks a suite, or a group or signature algorithm that a suite needs.")
    case .certificateRequired(let alert, let hasMisfit):
      Self.certificateRequired(alert, hasMisfit)
    }
  }

  private static func certificateRequired(_ alert: AlertDescription, _ hasMisfit: Bool) -> EventWords {
    // Only TLS 1.3 has the alert certificate_required.
    let clause: Clause = alert == .certificateRequired ? .rfc(8446, "4.4.2.4") : .rfc(5246, "7.4.6")
    let narration =
      "The server sent a CertificateRequest, received an empty Certificate message, and gave up with \(alert) "
      + "(\(clause))."
    return hasMisfit
      ? EventWords(Actor(.client, "the client's"), "identity does not fit the request", narration)
      : EventWords("the server requires a certificate and received none", narration)
  }

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
}
