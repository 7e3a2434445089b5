import Explanation

extension Rule {
  /// How bad the lint may say that a violation is, the worst first; empty for rules of other layers.
  public var lintSeverities: [AppTransportSecurity.LintFinding.Severity] {
    guard layer == .plist else { return [] }
    return Self.severitiesByID[id] ?? [.error]
  }

  /// The rules that are not errors alone.
  private static let severitiesByID: [String: [AppTransportSecurity.LintFinding.Severity]] = {
    let severities: [([AppTransportSecurity.LintFinding.Severity], [Rule])] = [
      ([.error, .warning], [.plistUnknownKey]),
      (
        [.warning],
        [
          .plistHistoricalKey, .plistDuplicateKey, .plistMisreadRange, .plistReplacesBuiltIn, .plistUnexpandedSetting,
          .plistArbitraryLoadsOverridden, .plistLocalNetworkingDenied, .plistDomainTrailingDot,
          .plistDomainInternational, .plistPinsSubdomainsNumber, .plistEqualRanges, .plistAddressSpelling,
        ]
      ),
      ([.warning, .note], [.plistIgnoredBySystem, .plistAddsStrictness]),
      (
        [.note],
        [
          .plistObsoleteKey, .plistNoSettings, .plistDefaultValue, .plistAppReview, .plistChangesNothing,
          .plistNotMerged, .plistPinsDuplicate, .plistPinsOneLabel, .plistPinsUnited, .plistAddressSubdomains,
          .plistSuitesLeftAlone,
        ]
      ),
    ]
    return severities.reduce(into: [:]) { table, row in
      for rule in row.1 { table[rule.id] = row.0 }
    }
  }()
}
