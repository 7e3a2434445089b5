/// How many names at least lie between a certificate and an anchor, whatever the signatures: among many issuers the way
/// that may be short is tried first (RFC 4158 section 3.5 sorts by what is likely to lead to an anchor).
struct AnchorDistances {
  private var distances: [[UInt8]: Int] = [:]

  init(over candidates: CertificatePool, to anchors: CertificatePool) {
    let issued = Dictionary(grouping: candidates.certificates) { $0.issuer.comparisonKey }
    var reached = Set(anchors.certificates.map(\.subject.comparisonKey))
    var distance = 0
    while !reached.isEmpty {
      for name in reached { distances[name] = distance }
      let next = reached.flatMap { (issued[$0] ?? []).map(\.subject.comparisonKey) }
      reached = Set(next.filter { distances[$0] == nil })
      distance += 1
    }
  }

  /// The number of names from the issuer of `certificate` on; the largest number where no names lead to an anchor.
  func names(from certificate: Certificate) -> Int { distances[certificate.issuer.comparisonKey] ?? .max }
}
