import TLS

extension RandomStreams {
  /// The same party with the system's generator, for a connection of its own: what a scenario spoils stays spoilt.
  func fresh() -> RandomStreams {
    RandomStreams(seed: nil, party: party, overrides: overrides.isEmpty ? [:] : another.overrides)
  }
}
