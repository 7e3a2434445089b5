import Explanation

extension AppTransportSecurity {
  /// The decisions about an app's settings that are not rules: how the system reads the property list.
  public struct SettingsDecisions: EngineDecisions {
    /// Returns the settings that the system reads for a load.
    ///
    /// The correct decision is to read the settings as they are.
    public var reads: (@Sendable (_ settings: Configuration, _ load: Load) -> Configuration)?

    /// Creates the correct decisions.
    public init() {}

    /// The correct decisions.
    public static let standard = SettingsDecisions()
  }
}

extension AppTransportSecurity.Configuration {
  /// Returns the settings that a system with these rules and decisions reads for `load`.
  public func read(
    for load: AppTransportSecurity.Load, under enforcement: Enforcement
  ) -> AppTransportSecurity.Configuration {
    let decisions: AppTransportSecurity.SettingsDecisions = enforcement.decisions()
    return decisions.reads?(self, load) ?? self
  }
}
