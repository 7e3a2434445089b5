import Explanation
import Simulator
import Trust
import URLLoading

/// The words for fetches of certificates, responses and CRLs over plain HTTP.
enum FetchWords {
  static func request(_ fetch: TrustFetch, for name: String) -> EventWords {
    let narration =
      switch fetch.content {
      case .issuer:
        "The server did not send the issuer of \(name). The certificate names \(fetch.url) as the location. "
          + "SecTrustEvaluate fetches the issuer from there and waits. On the main thread, the whole app would wait."
      case .answer:
        "The revocation status of \(name) is not known yet. The client queries the responder that the certificate "
          + "names. The query is not encrypted: an eavesdropper learns which server the client visits."
      case .list:
        "The revocation status of \(name) is not known yet. The client fetches the CRL that the certificate names. The "
          + "CRL lists all certificates that the CA has revoked."
      case .delta:
        "The complete CRL lists revocations up to its own date. A smaller delta CRL lists later changes. The "
          + "certificate and the CRL name its location (freshestCRL)."
      }
    return EventWords("\(MessageName.httpRequest)", narration)
  }

  static func response(_ content: TrustFetch.Content, by authority: String, _ status: ReportedStatus?) -> EventWords {
    let narration =
      switch content {
      case .issuer:
        "\(authority) responds with its certificate. Plain HTTP does no harm here: the client checks the certificate's "
          + "signature like any other."
      case .answer:
        "\(authority) signs the response, which is about this certificate only. Over plain HTTP, an attacker can "
          + "suppress it or replay an older response, but cannot forge one."
      case .list, .delta:
        "\(authority) publishes its revocations in a signed CRL. Over plain HTTP, an attacker can suppress the CRL or "
          + "replay an older one, but cannot forge one."
      }
    return EventWords(
      "\(MessageName.httpResponse)",
      [narration, status?.sentence, status?.age].compactMap(\.self).joined(separator: " "))
  }

  static func olderStatus(at url: String, by seconds: Int64) -> EventWords {
    EventWords(
      .interceptor, "replays a revocation status that is \(Detail.seconds(seconds).description) old",
      "The signed statements of a CA are public, and anyone can store them. Here, \(url) returns an older one with a "
        + "valid signature. Only its dates show its age.")
  }

  static func failure(of fetch: TrustFetch, isBlocked: Bool) -> EventWords {
    let isIssuer = fetch.content == .issuer
    let without = isIssuer ? "the issuer" : "it"
    return EventWords(
      "no \(isIssuer ? "certificate" : "response") arrives from \(fetch.url)",
      isBlocked
        ? "The network blocks the response. After a wait, the evaluation continues without \(without)."
        : "No server responds at this location. The evaluation continues without \(without).")
  }

  static func issuerFetched(from url: String) -> EventWords {
    EventWords(
      .client, "fetches an issuer",
      "The server did not send the issuer. The certificate gives \(url) as the issuer's location.")
  }
}
