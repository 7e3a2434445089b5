import Explanation
import Trust

/// What systems were told not to trust of an authority or a certificate, as a scenario describes it.
public struct DistrustDescription: Sendable, Hashable {
  /// The first day on which the list is in force; nil for always.
  public let from: Instant?
  /// The releases that brought it; empty for every system.
  public let since: [OSVersion]
  /// Only what was issued on this day or later.
  public let issuedFrom: Instant?
  /// Only what was issued before this day.
  public let issuedBefore: Instant?
  /// The names of the certificates through which a path is trusted all the same.
  public let except: [String]
}
