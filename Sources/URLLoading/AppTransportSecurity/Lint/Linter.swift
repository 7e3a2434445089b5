import Explanation
import Trust

extension AppTransportSecurity {
  /// What is wrong, odd or worth knowing in an app's Info.plist, or in a file with its `NSAppTransportSecurity`
  /// dictionary alone, in the order of the file.
  ///
  /// - Parameter systems: the releases it shall be right for; none for those that the app names itself
  ///   (`MinimumOSVersion`, `LSMinimumSystemVersion`), else for all since iOS 10.
  public static func lint(_ infoPlist: PropertyList, systems: [OSVersion] = []) -> [LintFinding] {
    let root = infoPlist.dictionary ?? .init()
    var linter = Linter(systems: LintSystems(named: systems, infoPlist: root))
    linter.check(root, as: Configuration.Origin(in: infoPlist))
    return linter.sorted
  }

  /// The same for an `NSAppTransportSecurity` dictionary that stands elsewhere.
  public static func lint(settings: PropertyList.Dictionary, systems: [OSVersion] = []) -> [LintFinding] {
    var linter = Linter(systems: LintSystems(named: systems, infoPlist: .init()))
    linter.checkSettings(settings, at: LintFinding.Spot(path: [], place: nil))
    return linter.sorted
  }

  /// Walks through a property list and collects findings.
  struct Linter {
    typealias Spot = LintFinding.Spot

    let systems: LintSystems
    private(set) var findings: [LintFinding] = []
    /// Whether `NSAllowsArbitraryLoads` is on, and stays so.
    var isEverythingAllowed = false
    /// The keys that misspelt ones were meant to be: files with many slips have few different ones.
    var meanings: [Misspelling: AppTransportSecurity.Key?] = [:]

    init(systems: LintSystems) { self.systems = systems }

    mutating func add(
      _ rule: Rule, _ severity: LintFinding.Severity, at spot: Spot, _ message: String, found: String = "",
      meant: String? = nil, caution: String? = nil, effect: String, on systems: String = everyRelease,
      confidence: Finding.Confidence = .certain, related: [Spot] = []
    ) {
      findings.append(
        LintFinding(
          rule: rule, severity: severity, spot: spot, message: message, found: found, meant: meant, caution: caution,
          effect: effect, systems: systems, confidence: confidence, related: related))
    }

    /// Forgets of the findings since `index` that keys state their defaults, where one about the whole says more.
    mutating func dropDefaults(from index: Int) {
      let kept = findings[index...].filter { $0.rule != .plistDefaultValue }
      findings.replaceSubrange(index..., with: kept)
    }

    /// By place, what has none in the order in which it was found.
    var sorted: [LintFinding] {
      findings.enumerated().sorted { left, right in
        guard let first = left.element.spot.place, let second = right.element.spot.place, first != second else {
          return left.offset < right.offset
        }
        return first < second
      }.map(\.element)
    }

    static let everyRelease = "every release"
    static let sinceTen = "iOS 10, macOS 10.12 and later"
    static let sinceSeventeen = "iOS 17, macOS 14 and later"
    static let sinceOpenEngine = "iOS 18.4, macOS 15.4 and later"
  }
}

extension AppTransportSecurity.LintFinding.Spot {
  /// The spot of an entry of the dictionary that stands here.
  func below(_ entry: PropertyList.Dictionary.Entry) -> Self {
    Self(path: path + [entry.key], place: entry.place ?? place)
  }

  /// The spot of an item of the array that stands here.
  func item(_ index: Int) -> Self { Self(path: path + ["[\(index)]"], place: place) }
}

extension PropertyList {
  /// The value as a reader knows it, cut short: `the string 'YES'`, `the number 2`.
  var shown: String {
    switch self {
    case .boolean(let flag): flag ? "<true/>" : "<false/>"
    case .integer(let number): "the number \(number)"
    case .real(let number): "the number \(number)"
    case .string(let text): "the string '\(text.count > 40 ? text.prefix(40) + "…" : text[...])'"
    case .data(let bytes): "<data> of \(bytes.count) bytes"
    case .date: "a <date>"
    case .array(let items): "an <array> of \(items.count)"
    case .dictionary(let dictionary): "a <dict> of \(dictionary.entries.count)"
    }
  }
}
