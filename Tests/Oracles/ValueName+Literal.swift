import Explanation

/// Tests write the names of values as scenario files do.
extension ValueName: ExpressibleByStringInterpolation {
  /// The name that is spelled like this.
  public init(stringLiteral text: String) { self.init(text) }
}

/// Tests write connections as scenario files do.
extension ValueScope: ExpressibleByStringLiteral {
  /// The scope that is spelled like this.
  public init(stringLiteral text: String) { self.init(text) }
}
