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
    let age = plan.age(of: fetch)
    if publication != nil, !plan.blocks(fetch), age > 0 { queue.insert(.outdated(fetch, by: age), at: 0) }
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
    var step = newStep(
      .message, party(end), MessageName.httpRequest.description, narration(of: fetch, world.names(fetch.certificate)))
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
    case .delta:
      "The complete list knows what was known when it was made. What has changed since then stands on a smaller one, whose "
        + "place certificate and list name (freshestCRL)."
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
      case .list, .delta:
        (
          "application/pkix-crl",
          "\(publication.authority) publishes what is revoked, and signs the list. Over plain HTTP it can be kept back, "
            + "or an older one handed out, and nothing else."
        )
      }
    let said = says(publication.content, on: fetch).map { " \($0)" } ?? ""
    var step = newStep(.message, authority, MessageName.httpResponse.description, narration + said)
    step.to = party(end)
    step.bytes = HTTP.response(publication.content, type: type)
    let inner: Field? =
      switch fetch.content {
      case .issuer: (try? Certificate(der: publication.content))?.field
      case .answer: (try? OCSPResponse(der: publication.content))?.field
      case .list, .delta: (try? CertificateRevocationList(der: publication.content))?.field
      }
    step.fields = HTTP.fields(of: step.bytes).map { inner.map($0.holding) ?? $0 }
    if fetch.content == .issuer {
      step.values = [Value(ValueScope(publication.authority).name(.certificate), publication.content, .published)]
    }
    return step
  }

  /// What an answer or a list says, and what can be seen of one that an attacker has kept.
  private func says(_ content: [UInt8], on fetch: TrustFetch) -> String? {
    let (story, isOld) = (StatusStory(world), accounts.last.map { $0.plan.age(of: fetch) > 0 } ?? false)
    switch fetch.content {
    case .issuer: return nil
    case .answer:
      return ([story.sentence(ofAnswer: content)] + [isOld ? story.age(of: content, isList: false, at: clock) : nil])
        .compactMap(\.self).joined(separator: " ")
    case .list, .delta:
      return ([story.sentence(ofList: content)] + [isOld ? story.age(of: content, isList: true, at: clock) : nil])
        .compactMap(\.self).joined(separator: " ")
    }
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

extension Field {
  /// The same message of HTTP where its content is seen as what it is.
  fileprivate func holding(_ inner: Field) -> Field {
    Field(
      name, range, meaning: meaning,
      children: children.map { child in
        child.name == "content"
          ? Field(
            child.name, child.range, meaning: "\(child.range.count) bytes",
            children: [inner.shifted(by: child.range.lowerBound)])
          : child
      })
  }
}
