import TLS

extension RandomStreams {
  /// The same party's random streams from the system's generator, for a new connection. Weak values in a scenario stay
  /// weak.
  func fresh() -> RandomStreams {
    RandomStreams(seed: nil, party: party, overrides: overrides.isEmpty ? [:] : another.overrides)
  }
}
