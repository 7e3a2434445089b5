/// Where the primes of the curriculum's RSA keys lie: how far above the random starts of their searches, and the label of
/// the stream that the starts come from.
///
/// The searches take nearly all the time of making a key. A test holds every line against them, and another writes this
/// table anew: `TRUSTLAB_WRITE_KEYS=1 swift test --filter UsualKeysTests`.
enum UsualKeys {
  static let offsets: [String: PrimeOffsets] = Dictionary(
    lines.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ", maxSplits: 2)
      guard parts.count == 3, let first = Int(parts[0]), let second = Int(parts[1]) else { return nil }
      return (String(parts[2]), PrimeOffsets(first: first, second: second))
    }, uniquingKeysWith: { first, _ in first })

  static let lines = """

    """
}
