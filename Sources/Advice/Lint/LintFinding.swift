import Explanation
import Trust
import URLLoading

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

    /// Message, advice and effect for who writes YAML or JSON: without the tags of a property list as XML. What was found
    /// is left as it is.
    public var untagged: (message: String, advice: String, effect: String) {
      func plain(_ words: String, _ tags: [(String, String)]) -> String {
        tags.reduce(words) { words, tag in words.replacing(tag.0, with: tag.1) }
      }
      let types = [("an <array>", "a list"), ("<array>", "list"), ("<dict>", "map"), ("<string>", "text")]
      let all = types + [("<true/>", "true"), ("<false/>", "false")]
      return (plain(message, types), plain(advice, all), plain(effect, all))
    }

    /// Whether the system passes over what was written, in silence or with a line in its log.
    public var isPassedOver: Bool {
      severity == .error
        || [.plistUnknownKey, .plistHistoricalKey, .plistObsoleteKey, .plistNotAnApp, .plistUnexpandedSetting].contains(
          rule)
    }
  }

  /// The systems that a property list is looked at for.
  struct LintSystems {
    /// One of each era of interest, or those that someone named.
    let all: [OSVersion]
    /// The SDK that the app says it is linked with; nil for the systems' own.
    let linkedSDK: OSVersion?
    /// The family that the app is for, where the release that it names is none that is known, and nobody says others.
    private(set) var misnamed: OSVersion.Family?

    /// Those named; else what the app says it runs on; else everything since iOS 10, when App Transport Security took
    /// the shape it still has.
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

    /// Those of tvOS, watchOS and visionOS that are as old as one of `iOS`.
    private static func beside(_ family: OSVersion.Family) -> [OSVersion] {
      let numbers: [OSVersion.Family: [(Int, Int)]] = [
        .tvOS: [(10, 0), (14, 0), (17, 0), (18, 4), (26, 4)], .watchOS: [(3, 0), (7, 0), (10, 0), (11, 4), (26, 4)],
        .visionOS: [(1, 0), (2, 4), (26, 4)],
      ]
      return (numbers[family] ?? []).map { OSVersion(family, $0.0, $0.1) }
    }

    /// The SDK of the app if it is older than App Transport Security, which then does not apply; nil otherwise.
    var sdkBeforeATS: OSVersion? { linkedSDK.flatMap { Profile($0).name == .none ? $0 : nil } }

    /// Those with App Transport Security.
    var covered: [OSVersion] { all.filter { Profile($0).name != .none } }

    /// Whether some of them know a key.
    func know(_ key: Key) -> Bool { all.contains(where: key.isKnown) }
  }
}

extension AppTransportSecurity.LintFinding.Spot {
  /// The spot of an entry of the dictionary that stands here.
  func below(_ entry: PropertyList.Dictionary.Entry) -> Self {
    Self(path: path + [entry.key], place: entry.place ?? place)
  }

  /// The spot of what decided: of the settings as a whole where nothing in them did.
  ///
  /// - Parameters:
  ///   - keyPath: a path without `NSAppTransportSecurity`, as `Decision.decidedBy` has it, whose keys may have dots; or
  ///     `SecTrustPinningRequired`, which stands beside it.
  ///   - infoPlist: the list that was decided by.
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
      // Of api.example and example, both of which may be there, the longer one is meant.
      let fitting = entries.filter { rest == $0.key || rest.hasPrefix("\($0.key).") }
      guard let next = fitting.max(by: { $0.key.count < $1.key.count }) else { return }
      self = below(next)
      dictionary = next.value.dictionary
      rest = rest.dropFirst(next.key.count + 1)
    }
  }

  /// The spot of an item of the array that stands here.
  func item(_ index: Int) -> Self { Self(path: path + ["[\(index)]"], place: place) }
}
