import TLS

extension RandomStreams {
  /// The same party with the system's generator, for a new connection. Weak values of a scenario stay weak.
  func fresh() -> RandomStreams {
    RandomStreams(seed: nil, party: party, overrides: overrides.isEmpty ? [:] : another.overrides)
  }
}
