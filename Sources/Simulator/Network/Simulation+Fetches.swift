import Endpoint
import Explanation
import PKIX
import Trust
import URLLoading

// How a client comes by the certificate of an issuer that nobody presented: over plain HTTP, beside the connection.
extension Simulation {
  /// The client asks; the handshake waits for what comes next.
  mutating func play(_ fetch: IssuerFetch, by end: End) {
    guard let plan = accounts.last?.plan else { return }
    let publication = plan.publications.first { $0.url == fetch.url }
    record(request(for: fetch, to: Party(publication?.authority ?? "network"), by: end))
    queue.insert(.fetched(end, fetch), at: 0)
  }

  /// The answer comes, or does not, and the client goes on.
  mutating func answer(_ fetch: IssuerFetch, of end: End) {
    guard let plan = accounts.last?.plan else { return }
    let publication = plan.publications.first { $0.url == fetch.url }
    let answer = publication.flatMap { plan.blocksIssuers ? nil : $0.certificate }
    if let answer, let publication {
      record(response(answer, of: publication, to: end))
    } else {
      record(silence(on: fetch, isBlocked: plan.blocksIssuers, by: end))
    }
    if let last = accounts.indices.last { take(accounts[last].fetched(answer, by: end), of: end) }
  }

  private mutating func record(_ step: Step) {
    var step = step
    step.isFetch = true
    trace.record(step)
  }

  private func request(for fetch: IssuerFetch, to authority: Party, by end: End) -> Step {
    let url = try? LoadURL(fetch.url)
    let name = world.names(fetch.certificate)
    var step = newStep(
      .message, party(end), "HTTP request",
      "Nobody presented the issuer of \(name), which says that it is at \(fetch.url). SecTrustEvaluate asks there, and "
        + "waits: on the main thread the whole app would wait with it.")
    step.to = authority
    step.bytes = HTTP.bytes(of: HTTPRequest(path: url?.path ?? "/"), host: url?.authority ?? "")
    step.fields = HTTP.fields(of: step.bytes)
    return step
  }

  private func response(_ certificate: [UInt8], of publication: World.Publication, to end: End) -> Step {
    let authority = Party(publication.authority)
    var step = newStep(
      .message, authority, "HTTP response",
      "\(publication.authority) answers with its certificate. That it came over plain HTTP does no harm: its "
        + "signature is checked like any other.")
    step.to = party(end)
    step.bytes = HTTP.response(certificate: certificate)
    step.fields = HTTP.fields(of: step.bytes).map { field in
      field.opening("content") { content in
        (try? Certificate(der: certificate))?.field.shifted(by: content.range.lowerBound) ?? content
      }
    }
    step.values = [Value("\(publication.authority).certificate", certificate, .published)]
    return step
  }

  private func silence(on fetch: IssuerFetch, isBlocked: Bool, by end: End) -> Step {
    newStep(
      .decision, party(end), "no certificate comes from \(fetch.url)",
      isBlocked
        ? "The network lets no answer through. The evaluation goes on without the issuer, after it has waited."
        : "Nobody here answers at that place. The evaluation goes on without the issuer.")
  }
}
