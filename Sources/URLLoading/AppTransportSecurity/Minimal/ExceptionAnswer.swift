import Explanation
import Trust

extension AppTransportSecurity {
  /// The smallest exception with which some loads pass on some systems.
  public struct ExceptionAnswer: Sendable {
    /// What there is to do.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
      /// All loads pass without an exception.
      case notNeeded = "not-needed"
      /// All pass with this one.
      case exception
      /// No dictionary makes all of them pass.
      case impossible
    }

    /// One load on one system, without and with the exception.
    public struct Load: Sendable {
      /// What is loaded.
      public let url: LoadURL
      /// On which system.
      public let os: OSVersion
      /// Without any exception.
      public let before: LoadResult
      /// With the exception; where there is none, with `NSAllowsArbitraryLoads`, the strongest.
      public let after: LoadResult
    }

    /// A key of the exception, and the loads that need it.
    public struct Reason: Sendable {
      /// Where the key stands: `NSExceptionDomains`, the host and the key, or the key alone.
      public let keyPath: [String]
      /// Its value.
      public let value: PropertyList
      /// What would decide against the loads without it, each rule once.
      public let because: [Rule]
      /// The systems on which a load needs it: without any exception the load fails there.
      public let systems: [OSVersion]
      /// The systems on which a load would pass without any exception, and needs the key because the entry that is
      /// there for others takes the place of what lets it pass: a built-in entry, or the rules for local names.
      public let systemsForTheEntry: [OSVersion]
      /// Whether App Review asks about it.
      public let isReviewed: Bool

      /// The key itself.
      public var key: String { keyPath.last ?? "" }
      /// The host that it is about; nil for a key for all domains.
      public var host: String? { keyPath.count == 3 ? keyPath[1] : nil }
    }

    /// What there is to do.
    public let outcome: Outcome
    /// The `NSAppTransportSecurity` dictionary; empty unless there is an exception.
    public let dictionary: PropertyList.Dictionary
    /// Its keys with their reasons.
    public let reasons: [Reason]
    /// Every load on every system.
    public let loads: [Load]
    /// A wider exception that rests on less that no source settles; nil where there is none.
    public var surer: PropertyList.Dictionary?

    /// The keys that App Review asks about, each once.
    public var appReview: [String] {
      reasons.filter(\.isReviewed).map(\.key).reduce(into: []) { keys, key in
        if !keys.contains(key) { keys.append(key) }
      }
    }

    /// The loads that no exception helps; empty where one does.
    public var hopeless: [Load] { loads.filter { !$0.after.passes } }
    /// Whether it is not settled that no exception helps.
    public var isOpen: Bool { !hopeless.isEmpty && hopeless.allSatisfy(\.after.isUncertain) }
  }
}
