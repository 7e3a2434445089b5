import Explanation

/// How good the generator behind one value is.
public enum RandomQuality: Sendable, Hashable {
  /// The same bytes for everyone, always: all zero.
  case constant
  /// The same bytes in every connection of the run.
  case repeats
  /// Only so many random bits, all others zero.
  case bits(Int)
  /// What a generator makes of a seed: the second of the connection, and so many bits that are not known.
  case seeded(Int)
  /// The next output of a generator with a back door: whoever knows this value can compute it.
  case from(Value.ID)

  /// The most bits that a third party is taken to search; a search of more is not counted as within reach.
  public static let searchableBits = 40

  /// The values whose generators a scenario can spoil, with their lengths in bytes.
  static let lengths = ["client_random": 32, "server_random": 32, "premaster_secret": 46]
}
