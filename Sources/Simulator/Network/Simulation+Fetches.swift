import Endpoint
import Explanation
import PKIX
import Trust
import URLLoading

// A client fetches missing data, such as an issuer's certificate or a revocation status, over plain HTTP, in addition
// to its connection.
extension Simulation {
  /// Records the client's request. The handshake waits for the response.
  mutating func play(_ fetch: TrustFetch, by end: End) {
    guard let plan = accounts.last?.plan else { return }
    let publication = plan.publication(for: fetch)
    record(request(for: fetch, to: Party(publication?.authority ?? "network"), by: end), of: fetch)
    queue.insert(.fetched(end, fetch), at: 0)
    let age = plan.age(of: fetch)
    if publication != nil, !plan.blocks(fetch), age > 0 { queue.insert(.outdated(fetch, by: age), at: 0) }
  }

  /// Records that an attacker returns an older response in place of the current one.
  mutating func outdate(_ fetch: TrustFetch, by age: Int64) { record(outdating(fetch, by: age), of: fetch) }

  /// Records the response or its absence, and lets the client continue.
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
    var step = newStep(.fetchRequested(fetch, certificate: world.names(fetch.certificate)), by: party(end))
    step.to = authority
    step.bytes =
      body.map { HTTP.post($0, type: "application/ocsp-request", to: path, host: host) }
      ?? HTTP.bytes(of: HTTPRequest(path: path), host: host)
    step.fields = HTTP.fields(of: step.bytes)
    return step
  }

  private func response(to fetch: TrustFetch, by publication: World.Publication, to end: End) -> Step {
    let authority = Party(publication.authority)
    let type =
      switch fetch.content {
      case .issuer: "application/pkix-cert"
      case .answer: "application/ocsp-response"
      case .list, .delta: "application/pkix-crl"
      }
    var step = newStep(
      .fetchAnswered(fetch.content, by: publication.authority, status(publication.content, on: fetch)), by: authority)
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

  /// Returns the revocation status in a response or a CRL, with its dates if an attacker replayed it.
  private func status(_ content: [UInt8], on fetch: TrustFetch) -> ReportedStatus? {
    let isOld = accounts.last.map { $0.plan.age(of: fetch) > 0 } ?? false
    let status: ReportedStatus
    switch fetch.content {
    case .issuer: return nil
    case .answer: status = ReportedStatus(response: content, in: world)
    case .list, .delta: status = ReportedStatus(crl: content, in: world)
    }
    return isOld ? status.handedOut(at: clock) : status
  }

  private func outdating(_ fetch: TrustFetch, by age: Int64) -> Step {
    newStep(.olderStatus(url: fetch.url, seconds: age), by: .interceptor)
  }

  private func silence(on fetch: TrustFetch, isBlocked: Bool, by end: End) -> Step {
    newStep(.fetchFailed(fetch, isBlocked: isBlocked), by: party(end))
  }
}

extension Field {
  /// Returns this HTTP message with its content as a parsed structure.
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
