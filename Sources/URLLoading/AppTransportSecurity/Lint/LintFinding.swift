import Explanation

extension AppTransportSecurity {
  /// Something in an app's property list that its author should know of.
  public struct LintFinding: Sendable, Hashable {
    /// How bad it is.
    public enum Severity: String, Sendable, Hashable, CaseIterable, Comparable {
      /// The system does not read what was written, or reads something else.
      case error
      /// It is read, and probably not what was meant, or not on every system.
      case warning
      /// Worth knowing.
      case note

      /// Worse ones come first.
      public static func < (left: Severity, right: Severity) -> Bool { left.position < right.position }
      private var position: Int { Self.allCases.firstIndex(of: self) ?? Self.allCases.count }
    }

    /// Where in the property list something stands.
    public struct Spot: Sendable, Hashable {
      /// The keys from the outermost dictionary to it; items of arrays as `[0]`.
      public let path: [String]
      /// The line and column of its key, or of the nearest key above it; nil for property lists that are no text.
      public let place: PropertyList.Place?

      /// The keys with dots between: `NSAppTransportSecurity.NSExceptionDomains.api.example`.
      public var keyPath: String {
        path.reduce("") { $0 + ($0.isEmpty || $1.hasPrefix("[") ? "" : ".") + $1 }
      }
    }

    /// The rule that it offends, or that it is explained by.
    public let rule: Rule
    /// How bad it is.
    public let severity: Severity
    /// Where it is.
    public let spot: Spot
    /// What is wrong, without a full stop.
    public let message: String
    /// What was found there, as it is written.
    public let found: String
    /// What was probably meant, as it would be written; nil when nothing suggests itself.
    public let meant: String?
    /// What to mind when it is mended in the way that suggests itself, as a sentence without a full stop.
    public let caution: String?
    /// What comes of it, without a full stop.
    public let effect: String
    /// The releases that this is true of: `every release`, `iOS 10, macOS 10.12 and later`.
    public let systems: String
    /// How well known it is.
    public let confidence: Finding.Confidence
    /// Other places that it is about.
    public let related: [Spot]

    /// What to do about it, without a full stop.
    public var advice: String {
      let fix = meant.map { "did you mean '\($0)'?" } ?? rule.fix
      if let caution { return "\(fix) \(caution)" }
      return fix.hasSuffix(".") ? String(fix.dropLast()) : fix
    }

    /// Whether the system passes over what was written, in silence or with a line in its log.
    public var isPassedOver: Bool {
      severity == .error || [.plistUnknownKey, .plistHistoricalKey, .plistObsoleteKey].contains(rule)
    }
  }
}
