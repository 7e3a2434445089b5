import Explanation

/// A path that was tried, with everything that was found on it.
public struct CandidatePath: Sendable {
  /// The path.
  public let path: CertificatePath
  /// What was found on it.
  public var findings: [Finding]

  /// A path and what was found on it.
  public init(_ path: CertificatePath, findings: [Finding]) {
    self.path = path
    self.findings = findings
  }

  /// Whether nothing found refuses it.
  public var isAccepted: Bool { !findings.refuses }

  /// How many signatures on it do not verify.
  var brokenLinks: Int { findings.count { $0.refuses && $0.rule == .signatureInvalid } }
}

extension Sequence<CandidatePath> {
  /// The candidates, the best first: accepted, then the leaf alone that its own key signed, then with the fewest links
  /// that no signature makes, then with the fewest deciding rules, then to an anchor, then the shortest, then in the
  /// order they were found.
  ///
  /// A certificate that another key signed says nothing about the path that was meant, so that a genuine path with
  /// other faults is the better explanation: of one that its own key signed, that it is its own issuer.
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
