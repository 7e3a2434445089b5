import Explanation

extension NodeReader {
  /// `random`: `good`, or the quality of each value that is not.
  func randomQualities(of values: [String]) -> [Value.ID: RandomQuality] {
    if case .scalar("good", _, _) = node { return [:] }
    guard node.entries != nil else {
      fail("\(path) is 'good' or a map of values, not \(shown)", hint: "write { \(values[0]): 16 bits }")
      return [:]
    }
    let pairs = named { name, mark, reader -> (Value.ID, RandomQuality)? in
      guard values.contains(name) else {
        sink.error("'\(name)' is not drawn here", hint: Spelling.hint(for: name, among: values), at: mark)
        return nil
      }
      return reader.randomQuality().map { (name, $0) }
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
    if words.count == 2, words[0] == "from", RandomQuality.lengths[words[1]] != nil { return .from(words[1]) }
    fail("'\(text)' is not a quality", hint: "write constant, repeats, 16 bits, time and 15 bits or from client_random")
    return nil
  }
}
