/// Lays two rows of words side by side so that as many as can stand opposite their equals.
struct Alignment {
  /// Places in the one and in the other row; nil where a word has no equal opposite.
  let pairs: [(Int?, Int?)]

  init(_ left: [String], _ right: [String]) {
    // The longest common subsequence from each place on.
    var longest = Array(repeating: Array(repeating: 0, count: right.count + 1), count: left.count + 1)
    for one in left.indices.reversed() {
      for other in right.indices.reversed() {
        longest[one][other] =
          left[one] == right[other]
          ? longest[one + 1][other + 1] + 1 : max(longest[one + 1][other], longest[one][other + 1])
      }
    }
    var pairs: [(Int?, Int?)] = []
    var (one, other) = (0, 0)
    while one < left.count || other < right.count {
      if one < left.count, other < right.count, left[one] == right[other] {
        pairs.append((one, other))
        (one, other) = (one + 1, other + 1)
      } else if other == right.count || (one < left.count && longest[one + 1][other] >= longest[one][other + 1]) {
        pairs.append((one, nil))
        one += 1
      } else {
        pairs.append((nil, other))
        other += 1
      }
    }
    self.pairs = pairs
  }
}
