/// How values are read: by the rules of Apple's open engine.
///
/// What is of another type counts as absent; `AppTransportSecurity.lint` says so.
extension PropertyList.Dictionary {
  /// True for `<true/>` and the number 1, false for `<false/>` and any other number, nil for what is absent or else.
  func flag(_ key: String) -> Bool? {
    switch self[key] {
    case .boolean(let flag): flag
    case .integer(let number): number == 1
    case .real(let number): number == 1
    default: nil
    }
  }

  /// True for `<true/>` only, as where pins are read.
  func genuineFlag(_ key: String) -> Bool { self[key] == .boolean(true) }

  /// A level of NIAP, nil for what is absent or else.
  func niapPackage(_ key: String) -> AppTransportSecurity.NIAPPackage? {
    self[key]?.string.flatMap(AppTransportSecurity.NIAPPackage.init(rawValue:))
  }
}
