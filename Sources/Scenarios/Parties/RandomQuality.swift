import Explanation
import Simulator

extension RandomQuality {
  /// The phrase about the generator of a value, after a sentence's beginning like "It makes client_random".
  var words: String {
    switch self {
    case .constant: "as a constant: all zeros"
    case .repeats: "the same in every connection"
    case .bits(let bits): "from \(bits) random bits"
    case .seeded(let bits): "from a seed of the time in seconds and \(bits) random bits"
    case .from(let source): "with a generator whose \(source) reveals it"
    }
  }
}

extension [Value.ID: RandomQuality] {
  /// The sentences about the weak generators, one for each.
  var sentences: [String] { sorted { $0.key < $1.key }.map { "It makes \($0.key) \($0.value.words)." } }
}

extension Kind {
  /// The kind of `random`: `good`, or the quality of each weak generator among `values`.
  static func randomQualities(of values: [ValueName]) -> Kind<[Explanation.Value.ID: RandomQuality]> {
    Kind<[Explanation.Value.ID: RandomQuality]>(
      .either([
        .choice(["good"]),
        .named(.pattern("^(constant|repeats|[0-9]+ bits?|time and [0-9]+ bits|from [a-z_]+)$")),
      ])
    ) { $0.randomQualities(of: values) }
  }
}

extension NodeReader {
  /// Reads `random`: `good`, or the quality of each weak generator.
  fileprivate func randomQualities(of values: [ValueName]) -> [Value.ID: RandomQuality] {
    if case .scalar("good", _, _) = node { return [:] }
    guard node.entries != nil else {
      fail("\(path) must be 'good' or a map of values, not \(shown)", hint: "write { \(values[0]): 16 bits }")
      return [:]
    }
    let pairs = named { text, mark, reader -> (Value.ID, RandomQuality)? in
      let name = ValueName(text)
      guard values.contains(name) else {
        let hint = Spelling.hint(for: text, among: values.map(\.description))
        sink.error("'\(name)' is not a random value here", hint: hint, at: mark)
        return nil
      }
      guard let quality = reader.randomQuality() else { return nil }
      if name.kind == .ecdhPrivate {
        switch quality {
        case .bits(0...62), .repeats: break
        case .bits, .constant, .seeded, .from:
          reader.fail(
            "a private key cannot have this quality of randomness", hint: "write repeats, or 0 to 62 bits: 16 bits")
          return nil
        }
      }
      return (name, quality)
    }
    return Dictionary(pairs) { first, _ in first }
  }

  private func randomQuality() -> RandomQuality? {
    guard let text = text() else { return nil }
    if text == "constant" { return .constant }
    if text == "repeats" { return .repeats }
    let words = text.split(separator: " ").map(String.init)
    if words.count == 2, ["bits", "bit"].contains(words[1]), let bits = Int(words[0]), (0...368).contains(bits) {
      return .bits(bits)
    }
    if words.count == 4, words[0] == "time", words[1] == "and", words[3] == "bits", let bits = Int(words[2]),
      (0...62).contains(bits)
    {
      return .seeded(bits)
    }
    if words.count == 2, words[0] == "from", RandomQuality.lengths[ValueName(words[1])] != nil {
      return .from(ValueName(words[1]))
    }
    let source = ValueName(.random, of: .client)
    fail(
      "'\(text)' is not a quality of randomness",
      hint: "write constant, repeats, 16 bits, time and 15 bits or from \(source)")
    return nil
  }
}
