import Explanation

/// Why a step of a proof was not carried out.
public enum Obstacle: Error, Sendable, Hashable, CustomStringConvertible {
  /// A search of 2^`bits` candidates, more than may be tried here.
  case tooLarge(bits: Int, limit: Int)
  /// The bytes of this value are not at hand.
  case missing(Value.ID)
  /// Nothing here carries the function out.
  case notPlayed(String)
  /// The function, carried out, gives nothing.
  case failed(String)

  /// In a few words.
  public var description: String {
    switch self {
    case .tooLarge(let bits, let limit): "a search of 2^\(bits) candidates, not begun: more than 2^\(limit)"
    case .missing(let name): "the bytes of \(name) are not at hand"
    case .notPlayed(let function): "nothing here carries out \(function)"
    case .failed(let what): what
    }
  }
}
