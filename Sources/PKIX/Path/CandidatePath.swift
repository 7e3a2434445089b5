import Explanation

/// A path that was tried, with all findings about it.
public struct CandidatePath: Sendable {
  /// The path.
  public let path: CertificatePath
  /// The findings about the path.
  public var findings: [Finding]

  /// Creates a candidate from a path and the findings about it.
  public init(_ path: CertificatePath, findings: [Finding]) {
    self.path = path
    self.findings = findings
  }

  /// Whether no finding refuses the path.
  public var isAccepted: Bool { !findings.refuses }

  /// The number of signatures on the path that do not verify.
  var brokenLinks: Int { findings.count { $0.refuses && $0.rule == .signatureInvalid } }
}

extension Sequence<CandidatePath> {
  /// Returns the candidates in order of preference.
  ///
  /// An accepted path comes first, then the leaf alone if it signed itself. Then fewer invalid signatures, fewer
  /// deciding rules, an anchor at the end, and a shorter path are better, in this order. Among equals, the first path
  /// found is better.
  ///
  /// If a key other than the issuer's signed a certificate, its findings do not describe the intended path. A genuine
  /// path with other faults explains more. A certificate that signed itself is its own issuer.
  public func bestFirst() -> [CandidatePath] {
    let candidates = Array(self)
    guard candidates.count > 1 else { return candidates }
    let ranked = candidates.enumerated().map { offset, candidate in
      let path = candidate.path
      let deciding = candidate.findings.deciding
      let isFirst = deciding.isEmpty || path.isOfLeafAlone
      return (
        rank: (
          isFirst ? 0 : 1, candidate.brokenLinks, deciding.count, path.isAnchored ? 0 : 1, path.certificates.count,
          offset
        ), candidate
      )
    }
    return ranked.sorted { $0.rank < $1.rank }.map(\.1)
  }
}
