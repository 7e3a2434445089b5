/// Finds the known word that is most similar to a misspelt word.
public enum Spelling {
  /// The candidate that is most similar to `word`; nil if none is similar enough to suggest.
  ///
  /// - Parameter most: the maximum number of edits; nil for a third of the word's length.
  public static func nearest(
    to word: String, among candidates: some Sequence<String>, within most: Int? = nil
  ) -> String? {
    let target = Array(word.lowercased().unicodeScalars.prefix(80))
    guard !target.isEmpty else { return nil }
    let limit = most ?? max(2, target.count / 3)
    var best: (word: String, distance: Int)?
    for candidate in candidates {
      let near = min(limit, (best?.distance ?? .max) - 1)
      let scalars = Array(candidate.lowercased().unicodeScalars.prefix(80))
      if let distance = distance(target, scalars, within: near) { best = (candidate, distance) }
    }
    return best?.word
  }

  /// Returns `did you mean 'X'?`, or a list of known words if none is similar.
  public static func hint(for word: String, among candidates: [String]) -> String {
    if let nearest = nearest(to: word, among: candidates) ?? part(of: word, among: candidates)
      ?? end(of: word, among: candidates)
    {
      return "did you mean '\(nearest)'?"
    }
    let known = candidates.prefix(24).joined(separator: ", ")
    return "known here: \(known)\(candidates.count > 24 ? ", …" : "")"
  }

  /// The longest candidate that occurs in `word`, which is an identifier of another API.
  ///
  /// For example, it is `public-key` for AFSSLPinningModePublicKey, `willSendRequest` for
  /// willSendRequestForAuthenticationChallenge and `pinning` for SSLPinningMode. Only letters and digits are compared.
  /// A candidate must have at least four of them, or six if it occurs in the middle.
  private static func part(of word: String, among candidates: [String]) -> String? {
    func bare(_ text: String) -> String { text.lowercased().filter { $0.isLetter || $0.isNumber } }
    let whole = bare(String(word.split(separator: ":").last ?? ""))
    func isPart(_ part: String) -> Bool {
      if part.count > 5 { return whole.contains(part) }
      return part.count > 3 && (whole.hasPrefix(part) || whole.hasSuffix(part))
    }
    return candidates.filter { isPart(bare($0)) }.max { $0.count < $1.count }
  }

  /// The candidate whose ending is most similar to `word`, if all candidates begin alike: kSecTrustResultProceed for
  /// Proced.
  private static func end(of word: String, among candidates: [String]) -> String? {
    guard let first = candidates.first, candidates.count > 1 else { return nil }
    let shared = candidates.reduce(first.count) { count, other in
      min(count, zip(first, other).prefix { $0 == $1 }.count)
    }
    guard shared > 3 else { return nil }
    let ends = candidates.map { String($0.dropFirst(shared)) }
    return nearest(to: word, among: ends).flatMap { ends.firstIndex(of: $0) }.map { candidates[$0] }
  }

  /// The Levenshtein distance, with a transposition of neighbours as one edit; nil if it exceeds `limit`.
  ///
  /// For most words, the lengths or the first letters are sufficient.
  private static func distance(_ left: [UnicodeScalar], _ right: [UnicodeScalar], within limit: Int) -> Int? {
    if abs(left.count - right.count) > limit { return nil }
    // A common prefix adds no distance, and keys of one family begin alike.
    let same = zip(left, right).prefix { $0 == $1 }.count
    let (left, right) = (Array(left.dropFirst(same)), Array(right.dropFirst(same)))
    var before: [Int] = []
    var previous = Array(0...right.count)
    for (row, scalar) in left.enumerated() {
      var current = [row + 1]
      for (column, other) in right.enumerated() {
        var cost = min(previous[column] + (scalar == other ? 0 : 1), previous[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, scalar == right[column - 1], left[row - 1] == other {
          cost = min(cost, before[column - 1] + 1)
        }
        current.append(cost)
      }
      // A swap compares with the row before the previous one.
      if let least = current.min(), let earlier = previous.min(), min(least, earlier) > limit { return nil }
      before = previous
      previous = current
    }
    let distance = previous[right.count]
    return distance <= limit ? distance : nil
  }
}
