import Explanation
import Simulator
import Trust
import URLLoading

/// The words for certificates, responses and CRLs that are fetched over plain HTTP.
enum FetchWords {
  static func request(_ fetch: TrustFetch, for name: String) -> EventWords {
    let narration =
      switch fetch.content {
      case .issuer:
        "Nobody presented the issuer of \(name), which says that it is at \(fetch.url). SecTrustEvaluate asks there, and "
          + "waits: on the main thread the whole app would wait with it."
      case .answer:
        "Whether \(name) is revoked nobody has said yet. The responder that it names is asked, in the clear: whoever listens "
          + "learns which server is visited."
      case .list:
        "Whether \(name) is revoked nobody has said yet. The list that it names is fetched, with all that its authority has "
          + "revoked."
      case .delta:
        "The complete list knows what was known when it was made. What has changed since then stands on a smaller one, whose "
          + "place certificate and list name (freshestCRL)."
      }
    return EventWords("\(MessageName.httpRequest)", narration)
  }

  static func response(_ content: TrustFetch.Content, by authority: String, _ status: ReportedStatus?) -> EventWords {
    let narration =
      switch content {
      case .issuer:
        "\(authority) answers with its certificate. That it came over plain HTTP does no harm: its signature is checked "
          + "like any other."
      case .answer:
        "\(authority) answers for this certificate alone, and signs it. Over plain HTTP it can be kept back, or an older "
          + "one handed out, and nothing else."
      case .list, .delta:
        "\(authority) publishes what is revoked, and signs the list. Over plain HTTP it can be kept back, or an older one "
          + "handed out, and nothing else."
      }
    return EventWords(
      "\(MessageName.httpResponse)",
      [narration, status?.sentence, status?.age].compactMap(\.self).joined(separator: " "))
  }

  static func olderStatus(at url: String, by seconds: Int64) -> EventWords {
    EventWords(
      .interceptor, "hands out what was said \(Detail.seconds(seconds).description) before",
      "What an authority signs is public and can be kept: at \(url) an older answer comes, with a signature that fits. "
        + "Only its dates can tell.")
  }

  static func failure(of fetch: TrustFetch, isBlocked: Bool) -> EventWords {
    let isIssuer = fetch.content == .issuer
    let without = isIssuer ? "the issuer" : "it"
    return EventWords(
      "no \(isIssuer ? "certificate" : "answer") comes from \(fetch.url)",
      isBlocked
        ? "The network lets no answer through. The evaluation goes on without \(without), after it has waited."
        : "Nobody here answers at that place. The evaluation goes on without \(without).")
  }

  static func issuerFetched(from url: String) -> EventWords {
    EventWords(
      .client, "fetches an issuer", "Nobody presented it; the certificate says that it is at \(url).")
  }
}
