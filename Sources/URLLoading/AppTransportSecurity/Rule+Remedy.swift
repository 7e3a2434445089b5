import Explanation

extension Rule {
  /// The same rule, with what helps `load`: its host for HOST, and no exception where there cannot be one.
  func helping(_ load: AppTransportSecurity.Load, _ profile: AppTransportSecurity.Profile) -> Rule {
    guard let place = fix.firstRange(of: Self.entry) else { return self }
    if load.url.address == nil || profile.addresses != .blocked {
      return held(in: layer, fix: fix.replacing("HOST", with: load.url.host))
    }
    // What is to be done about the server stands in the sentences before.
    let server = fix[..<place.lowerBound].lastIndex(of: ".").map { fix[...$0] } ?? ""
    return held(in: layer, fix: "\(server) \(Self.noEntry)")
  }

  private static let entry = "NSExceptionDomains.HOST"
  private static let noEntry =
    "iOS 9 and OS X 10.11 have no exceptions for addresses: only NSAllowsArbitraryLoads = YES lets one through, "
    + "which App Review asks about."
}

extension Finding {
  /// The same finding; where it is a violation its rule says what helps the load of `decision`.
  func helping(_ decision: AppTransportSecurity.Decision) -> Finding {
    outcome == .violated ? of(rule.helping(decision.load, decision.profile)) : self
  }
}
