extension String {
  /// This text, or of a long one its beginning and how many characters there are: nobody reads a name of a megabyte.
  func shortened(to limit: Int = 400) -> String {
    guard utf8.count > limit, count > limit else { return self }
    return prefix(limit) + "… (\(count) characters)"
  }
}
