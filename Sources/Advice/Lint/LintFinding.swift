import Explanation
import Trust
import URLLoading

extension AppTransportSecurity {
  /// A problem or remark about an app's property list.
  public struct LintFinding: Sendable, Hashable {
    /// The severity of a finding.
    public enum Severity: String, Sendable, Hashable, CaseIterable, Comparable {
      /// The system ignores the setting, or interprets it differently.
      case error
      /// The system uses the setting, but it is probably a mistake or does not work on every system.
      case warning
      /// A remark.
      case note

      /// Orders errors before warnings, and warnings before notes.
      public static func < (left: Severity, right: Severity) -> Bool { left.position < right.position }
      private var position: Int { Self.allCases.firstIndex(of: self) ?? Self.allCases.count }
    }

    /// A location in the property list.
    public struct Spot: Sendable, Hashable {
      /// The keys from the outermost dictionary to this location. Array items are written as `[0]`.
      public let path: [String]
      /// The line and column of the key, or of the nearest key above it; nil for binary property lists.
      public let place: PropertyList.Place?

      /// The keys joined by dots, such as `NSAppTransportSecurity.NSExceptionDomains.api.example`.
      public var keyPath: String {
        path.reduce("") { $0 + ($0.isEmpty || $1.hasPrefix("[") ? "" : ".") + $1 }
      }
    }

    /// The rule that the setting violates, or that explains the finding.
    public let rule: Rule
    /// The severity of the finding.
    public let severity: Severity
    /// The location of the setting.
    public let spot: Spot
    /// A description of the problem, without a full stop at the end.
    public let message: String
    /// The value in the property list, as written.
    public let found: String
    /// The value or key that was probably intended; nil if none is likely.
    public let meant: String?
    /// A warning about the obvious fix, as a sentence without a full stop.
    public let caution: String?
    /// The consequence for the app's loads, without a full stop at the end.
    public let effect: String
    /// The releases to which the finding applies, such as `every release` or `iOS 10, macOS 10.12 and later`.
    public let systems: String
    /// The confidence in the finding.
    public let confidence: Finding.Confidence
    /// Other locations to which the finding refers.
    public let related: [Spot]

    /// The suggested fix, without a full stop at the end.
    public var advice: String {
      let fix = meant.map { "did you mean '\($0)'?" } ?? rule.fix
      if let caution { return "\(fix) \(caution)" }
      return fix.hasSuffix(".") ? String(fix.dropLast()) : fix
    }

    /// The message, the advice and the effect in the terms of YAML or JSON.
    ///
    /// They do not contain the XML tags of property lists. `found` is not changed.
    public var untagged: (message: String, advice: String, effect: String) {
      func plain(_ words: String, _ tags: [(String, String)]) -> String {
        tags.reduce(words) { words, tag in words.replacing(tag.0, with: tag.1) }
      }
      let types = [("an <array>", "a list"), ("<array>", "list"), ("<dict>", "map"), ("<string>", "text")]
      let all = types + [("<true/>", "true"), ("<false/>", "false")]
      return (plain(message, types), plain(advice, all), plain(effect, all))
    }

    /// Whether the system ignores the setting, silently or with a line in its log.
    public var isPassedOver: Bool {
      severity == .error
        || [.plistUnknownKey, .plistHistoricalKey, .plistObsoleteKey, .plistNotAnApp, .plistUnexpandedSetting].contains(
          rule)
    }
  }

  /// The systems for which the lint checks a property list.
  struct LintSystems {
    /// The specified systems, or one system of each relevant generation.
    let all: [OSVersion]
    /// The SDK that the property list states; nil for the SDK of each system.
    let linkedSDK: OSVersion?
    /// The family of systems whose minimum release in the property list is unknown. It is nil if systems were
    /// specified.
    private(set) var misnamed: OSVersion.Family?

    /// Selects the specified systems, or else those that the app supports, or else all since iOS 10.
    ///
    /// App Transport Security has had its present form since iOS 10.
    init(named: [OSVersion], infoPlist: PropertyList.Dictionary, inBundleOf bundle: OSVersion.Family? = nil) {
      linkedSDK = infoPlist.linkedSDK
      guard named.isEmpty else {
        all = named
        return
      }
      let family = infoPlist.platform(inBundleOf: bundle)
      let usual = family == .macOS ? Self.macOS : family.isBesideIOS ? Self.beside(family) : Self.iOS
      let first = infoPlist.firstRelease(of: family)
      all = first.map { first in [first] + usual.filter { $0 > first } } ?? usual
      if first == nil, infoPlist[PropertyList.Dictionary.firstReleaseKey(of: family)] != nil { misnamed = family }
    }

    private static let iOS = [(10, 0), (14, 0), (17, 0), (18, 4), (26, 4)].map { OSVersion(.iOS, $0.0, $0.1) }
    private static let macOS = [(10, 12), (11, 0), (14, 0), (15, 4), (26, 4)].map { OSVersion(.macOS, $0.0, $0.1) }

    /// Returns the releases of tvOS, watchOS and visionOS that belong to the generations in `iOS`.
    private static func beside(_ family: OSVersion.Family) -> [OSVersion] {
      let numbers: [OSVersion.Family: [(Int, Int)]] = [
        .tvOS: [(10, 0), (14, 0), (17, 0), (18, 4), (26, 4)], .watchOS: [(3, 0), (7, 0), (10, 0), (11, 4), (26, 4)],
        .visionOS: [(1, 0), (2, 4), (26, 4)],
      ]
      return (numbers[family] ?? []).map { OSVersion(family, $0.0, $0.1) }
    }

    /// The app's SDK if it is older than App Transport Security, which then does not apply; nil otherwise.
    var sdkBeforeATS: OSVersion? { linkedSDK.flatMap { Profile($0).name == .none ? $0 : nil } }

    /// The systems that have App Transport Security.
    var covered: [OSVersion] { all.filter { Profile($0).name != .none } }

    /// Returns whether at least one of the systems supports a key.
    func know(_ key: Key) -> Bool { all.contains(where: key.isKnown) }
  }
}

extension AppTransportSecurity.LintFinding.Spot {
  /// Returns the location of an entry in the dictionary at this location.
  func below(_ entry: PropertyList.Dictionary.Entry) -> Self {
    Self(path: path + [entry.key], place: entry.place ?? place)
  }

  /// Creates the location of the setting that decided a load, or of all settings if no single setting did.
  ///
  /// - Parameters:
  ///   - keyPath: a path without `NSAppTransportSecurity`, as in `Decision.decidedBy`, whose keys may contain dots. It
  ///     can also be `SecTrustPinningRequired`, which is outside that dictionary.
  ///   - infoPlist: the property list that decided the load.
  public init(of keyPath: String, in infoPlist: PropertyList) {
    self.init(path: [], place: nil)
    guard let root = infoPlist.dictionary else { return }
    if keyPath == AppTransportSecurity.Key.pinningRequired.name, let beside = root.last(.pinningRequired) {
      self = below(beside)
      return
    }
    var dictionary: PropertyList.Dictionary? = root
    if let settings = root.last(.appTransportSecurity) {
      self = below(settings)
      dictionary = settings.value.dictionary
    }
    var rest = keyPath[...]
    while let entries = dictionary?.entries, !rest.isEmpty {
      // If both api.example and example exist, the key path refers to the longer one.
      let fitting = entries.filter { rest == $0.key || rest.hasPrefix("\($0.key).") }
      guard let next = fitting.max(by: { $0.key.count < $1.key.count }) else { return }
      self = below(next)
      dictionary = next.value.dictionary
      rest = rest.dropFirst(next.key.count + 1)
    }
  }

  /// Returns the location of an item in the array at this location.
  func item(_ index: Int) -> Self { Self(path: path + ["[\(index)]"], place: place) }
}
