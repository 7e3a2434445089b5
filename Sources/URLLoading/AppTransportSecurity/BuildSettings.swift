extension AppTransportSecurity {
  /// Finds build settings that Xcode should have put in: `$(API_HOST)` and `${API_HOST}`.
  ///
  /// The Info.plist of an app has none any more; one from a project's sources may.
  enum BuildSettings {
    /// A problem for every key and every text that has one, in order.
    static func problems(in dictionary: PropertyList.Dictionary, path: String = "") -> [Problem] {
      dictionary.entries.flatMap { entry -> [Problem] in
        let inner = path.isEmpty ? entry.key : "\(path).\(entry.key)"
        let isNamed = hasSetting(entry.key) || entry.value.string.map(hasSetting) == true
        return (isNamed ? [Problem(inner, .unexpandedSetting)] : [])
          + (entry.value.dictionary.map { problems(in: $0, path: inner) } ?? [])
      }
    }

    private static func hasSetting(_ text: String) -> Bool {
      var previous: UInt8 = 0
      for byte in text.utf8 {
        if previous == UInt8(ascii: "$"), byte == UInt8(ascii: "(") || byte == UInt8(ascii: "{") { return true }
        previous = byte
      }
      return false
    }
  }
}
