import TLS

extension RandomStreams {
  /// The same party's random streams from the system's generator, for a new connection. Streams that a
  /// scenario makes weak stay weak.
  func fresh() -> RandomStreams {
    RandomStreams(seed: nil, party: party, overrides: overrides.isEmpty ? [:] : another.overrides)
  }
}
