import Advice
import Cryptography
import Explanation
import PKIX
import Trust
import URLLoading

/// An app's property list that was read from a file: what it says about App Transport Security, and what is odd in it.
public struct InfoPlistFile: Sendable {
  /// The file as the user named it.
  public let path: String
  /// What of the file was taken for the `NSAppTransportSecurity` dictionary.
  public let origin: AppTransportSecurity.Configuration.Origin
  /// What it says.
  public let configuration: AppTransportSecurity.Configuration
  /// The lines of a file that is text; empty for binary property lists.
  public let lines: [String]
  private let plist: PropertyList

  /// Reads `bytes`, XML or binary, of the file called `path`: an Info.plist, or the `NSAppTransportSecurity`
  /// dictionary itself; `$(NAME)` in it stands for what `settings` has of that name.
  ///
  /// - Throws: `Diagnostics` when they are no property list, or one of something else than a dictionary.
  public init(_ bytes: [UInt8], path: String, settings: BuildSettings = .init()) throws(Diagnostics) {
    self.path = path
    do throws(PropertyListError) { plist = settings.expanded(try PropertyList(reading: bytes)) } catch {
      throw error.diagnostics(inFile: path, bytes: bytes)
    }
    guard plist.dictionary != nil else {
      throw Diagnostics(
        "\(path): an Info.plist is a dictionary, and this is of the type \(plist.typeName)",
        hint: "give the app's Info.plist, or a file with its NSAppTransportSecurity dictionary")
    }
    origin = .init(in: plist)
    configuration = .init(infoPlist: plist)
    lines = Self.lines(bytes)
  }

  /// Text in UTF-16 has zeros in it, and no lines that could be shown as they are.
  private static func lines(_ bytes: [UInt8]) -> [String] {
    if bytes.contains(0) || bytes.starts(with: Array("bplist".utf8)) { return [] }
    return bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
      String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
    }
  }

  /// The line at a place, nil where the file has none that can be shown.
  public func line(at place: PropertyList.Place) -> String? {
    lines.indices.contains(place.line - 1) ? lines[place.line - 1] : nil
  }

  /// Where the key path of a decision stands; see `AppTransportSecurity.LintFinding.Spot.init(of:in:)`.
  public func spot(of keyPath: String) -> AppTransportSecurity.LintFinding.Spot { .init(of: keyPath, in: plist) }

  /// What the list belongs to.
  public var nature: AppTransportSecurity.PropertyListNature {
    plist.dictionary.map(AppTransportSecurity.PropertyListNature.init) ?? .other
  }

  /// Whose it is: by the platform that it was built for, by the bundle, or by the release that it needs; iOS where
  /// nothing says.
  public var platform: OSVersion.Family { plist.dictionary?.platform(inBundleOf: bundle) ?? .iOS }

  /// Bundles of the Mac alone have a folder Contents ("Placing content in a bundle").
  private var bundle: OSVersion.Family? { path.hasSuffix("Contents/Info.plist") ? .macOS : nil }

  /// The first release that the app runs on; nil where it does not say.
  public var firstRelease: OSVersion? { plist.dictionary?.firstRelease(of: platform) }

  /// All that the lint finds, for these systems (see `AppTransportSecurity.lint`).
  public func findings(systems: [OSVersion] = []) -> [AppTransportSecurity.LintFinding] {
    AppTransportSecurity.lint(plist, systems: systems, inBundleOf: bundle)
  }

  /// Keys and values that the system passes over in silence.
  public var remarks: [Diagnostic] {
    InfoPlistRemarks(
      AppTransportSecurity.passedOver(in: plist, inBundleOf: bundle), inFile: path,
      fallback: SourceMark(file: path, line: 1, column: 1)
    ).diagnostics()
  }
}

/// What the lint finds in an App Transport Security dictionary that the system passes over in silence: a scenario is
/// played as iOS would, but its author should know.
struct InfoPlistRemarks {
  let findings: [AppTransportSecurity.LintFinding]
  /// Whether they are about what is written as YAML, and not as a property list.
  var isInline = false
  /// Where something stands.
  let mark: (AppTransportSecurity.LintFinding.Spot) -> SourceMark

  func diagnostics() -> [Diagnostic] {
    findings.map { finding in
      let words =
        isInline ? finding.untagged : (message: finding.message, advice: finding.advice, effect: finding.effect)
      return Diagnostic(
        words.message, hint: "\(words.advice) (\(words.effect))", at: mark(finding.spot), severity: .warning)
    }
  }
}

extension InfoPlistRemarks {
  /// Remarks on a dictionary that stands in a scenario; what no place is known of is marked with `fallback`.
  init(_ configuration: AppTransportSecurity.Configuration, in scenario: Scenario, fallback: SourceMark) {
    let findings = AppTransportSecurity.passedOver(inSettings: configuration.dictionary)
    self.init(findings: findings, isInline: true) { spot in
      var node = scenario.tree["client"]?["infoPlist"]
      var mark = fallback
      for key in spot.path {
        guard let entry = node?.entries?.first(where: { $0.key == key }) else { break }
        mark = entry.mark
        node = entry.value
      }
      return mark
    }
  }

  /// Remarks on a property list that was read from the file at `path`, of what was found in it.
  init(_ findings: [AppTransportSecurity.LintFinding], inFile path: String, fallback: SourceMark) {
    self.init(findings: findings) { spot in
      spot.place.map { SourceMark(file: path, line: $0.line, column: $0.column) } ?? fallback
    }
  }
}

/// A pinned identity as a scenario writes it in a property list: `spki(api)` stands for the Base64 of the SHA-256 of the
/// SubjectPublicKeyInfo of the certificate `api`, which its author cannot know beforehand.
enum PinnedIdentityText {
  /// The certificate that `text` names; nil when it is any other text.
  static func name(in text: String) -> String? {
    guard text.hasPrefix("spki("), text.hasSuffix(")") else { return nil }
    return String(text.dropFirst(5).dropLast())
  }

  /// What an Info.plist has in that place.
  static func text(of certificate: Certificate) -> String {
    Base64.encode(PublicKeyPins.Pin.fingerprint(of: certificate))
  }

  /// An identity that is as well-formed as any, and another for every name, where only the form matters.
  static func sample(of name: String) -> String { Base64.encode(Hash.sha256.digest(Array(name.utf8))) }
}

extension PropertyList {
  /// The names of the certificates whose identities it has.
  var identities: [String] {
    switch self {
    case .dictionary(let dictionary): dictionary.entries.flatMap(\.value.identities)
    case .array(let values): values.flatMap(\.identities)
    case .string(let text): PinnedIdentityText.name(in: text).map { [$0] } ?? []
    default: []
    }
  }

  /// The same list with every identity written out.
  func resolvingIdentities(_ text: (String) -> String?) -> PropertyList {
    switch self {
    case .dictionary(let dictionary):
      .dictionary(
        .init(
          entries: dictionary.entries.map { entry in
            .init(key: entry.key, value: entry.value.resolvingIdentities(text), place: entry.place)
          }))
    case .array(let values): .array(values.map { $0.resolvingIdentities(text) })
    case .string(let string): PinnedIdentityText.name(in: string).flatMap(text).map(PropertyList.string) ?? self
    default: self
    }
  }
}

extension ClientDescription.InfoPlist {
  /// The names of the certificates whose identities a list in the scenario has.
  var identities: [String] {
    if case .inline(let list) = self { list.identities } else { [] }
  }
}
