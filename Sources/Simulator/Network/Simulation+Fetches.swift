import Endpoint
import Explanation
import PKIX
import Trust
import URLLoading

// How a client comes by what nobody brought along, the certificate of an issuer or what is known of revocation: over plain
// HTTP, beside the connection.
extension Simulation {
  /// The client asks; the handshake waits for what comes next.
  mutating func play(_ fetch: TrustFetch, by end: End) {
    guard let plan = accounts.last?.plan else { return }
    let publication = plan.publication(for: fetch)
    record(request(for: fetch, to: Party(publication?.authority ?? "network"), by: end), of: fetch)
    queue.insert(.fetched(end, fetch), at: 0)
    let isOutdated = publication != nil && !plan.blocks(fetch) && fetch.content != .issuer && plan.statusAge > 0
    if isOutdated { queue.insert(.outdated(fetch, by: plan.statusAge), at: 0) }
  }

  /// An older answer takes the place of what is there.
  mutating func outdate(_ fetch: TrustFetch, by age: Int64) { record(outdating(fetch, by: age), of: fetch) }

  /// The answer comes, or does not, and the client goes on.
  mutating func answer(_ fetch: TrustFetch, of end: End) {
    guard let plan = accounts.last?.plan else { return }
    let publication = plan.blocks(fetch) ? nil : plan.publication(for: fetch)
    if let publication {
      record(response(to: fetch, by: publication, to: end), of: fetch)
    } else {
      record(silence(on: fetch, isBlocked: plan.blocks(fetch), by: end), of: fetch)
    }
    if let last = accounts.indices.last { take(accounts[last].fetched(publication?.content, by: end), of: end) }
  }

  private mutating func record(_ step: Step, of fetch: TrustFetch) {
    var step = step
    step.fetchedURL = fetch.url
    trace.record(step)
  }

  private func request(for fetch: TrustFetch, to authority: Party, by end: End) -> Step {
    let url = try? LoadURL(fetch.url)
    let host = url?.authority ?? ""
    let (suffix, body) = fetch.target
    let place = url?.path ?? "/"
    let path = suffix.isEmpty ? place : place + (place.hasSuffix("/") ? "" : "/") + suffix
    var step = newStep(.message, party(end), "HTTP request", narration(of: fetch, world.names(fetch.certificate)))
    step.to = authority
    step.bytes =
      body.map { HTTP.post($0, type: "application/ocsp-request", to: path, host: host) }
      ?? HTTP.bytes(of: HTTPRequest(path: path), host: host)
    step.fields = HTTP.fields(of: step.bytes)
    return step
  }

  private func narration(of fetch: TrustFetch, _ name: String) -> String {
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
    }
  }

  private func response(to fetch: TrustFetch, by publication: World.Publication, to end: End) -> Step {
    let authority = Party(publication.authority)
    let (type, narration) =
      switch fetch.content {
      case .issuer:
        (
          "application/pkix-cert",
          "\(publication.authority) answers with its certificate. That it came over plain HTTP does no harm: its "
            + "signature is checked like any other."
        )
      case .answer:
        (
          "application/ocsp-response",
          "\(publication.authority) answers for this certificate alone, and signs it. Over plain HTTP it can be kept back, or "
            + "an older one handed out, and nothing else."
        )
      case .list:
        (
          "application/pkix-crl",
          "\(publication.authority) publishes what it has revoked, and signs the list. Over plain HTTP it can be kept back, "
            + "or an older one handed out, and nothing else."
        )
      }
    var step = newStep(.message, authority, "HTTP response", narration)
    step.to = party(end)
    step.bytes = HTTP.response(publication.content, type: type)
    step.fields = HTTP.fields(of: step.bytes).map { field in
      field.opening("content") { content in
        guard fetch.content == .issuer else { return content }
        return (try? Certificate(der: publication.content))?.field.shifted(by: content.range.lowerBound) ?? content
      }
    }
    if fetch.content == .issuer {
      step.values = [Value("\(publication.authority).certificate", publication.content, .published)]
    }
    return step
  }

  private func outdating(_ fetch: TrustFetch, by age: Int64) -> Step {
    newStep(
      .attack, .interceptor, "the interceptor hands out what was said \(Detail.seconds(age).description) before",
      "What an authority signs is public and can be kept: at \(fetch.url) an older answer comes, with a signature that fits. "
        + "Only its dates can tell.")
  }

  private func silence(on fetch: TrustFetch, isBlocked: Bool, by end: End) -> Step {
    let what = fetch.content == .issuer ? "certificate" : "answer"
    let without = fetch.content == .issuer ? "the issuer" : "it"
    return newStep(
      .decision, party(end), "no \(what) comes from \(fetch.url)",
      isBlocked
        ? "The network lets no answer through. The evaluation goes on without \(without), after it has waited."
        : "Nobody here answers at that place. The evaluation goes on without \(without).")
  }
}
