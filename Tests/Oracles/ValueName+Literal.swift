import Explanation

/// Tests write the names of values as scenario files do.
extension ValueName: ExpressibleByStringInterpolation {
  /// Creates the name with this spelling.
  public init(stringLiteral text: String) { self.init(text) }
}

/// Tests write connections as scenario files do.
extension ValueScope: ExpressibleByStringLiteral {
  /// Creates the scope with this spelling.
  public init(stringLiteral text: String) { self.init(text) }
}
