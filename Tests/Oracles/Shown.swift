extension StringProtocol {
  /// Whether the text contains each of `values`, separated by ` … `, in any sentence and order.
  public func shows(_ values: String) -> Bool {
    !values.isEmpty && values.split(separator: " … ").allSatisfy { contains($0) }
  }
}

extension Collection where Element: StringProtocol {
  /// Whether there are as many texts as `values`, and each shows its own.
  public func show(_ values: [String]) -> Bool {
    count == values.count && zip(self, values).allSatisfy { $0.shows($1) }
  }
}
