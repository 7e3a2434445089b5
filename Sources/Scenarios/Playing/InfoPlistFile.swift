import Advice
import Cryptography
import Explanation
import PKIX
import Trust
import URLLoading

/// An app's property list from a file: its App Transport Security configuration, and warnings about it.
public struct InfoPlistFile: Sendable {
  /// The file name as the user wrote it.
  public let path: String
  /// The part of the file that contains the `NSAppTransportSecurity` dictionary.
  public let origin: AppTransportSecurity.Configuration.Origin
  /// The App Transport Security configuration.
  public let configuration: AppTransportSecurity.Configuration
  /// The lines of a text file; empty for a binary property list.
  public let lines: [String]
  private let plist: PropertyList

  /// Reads `bytes`, XML or binary, of the file called `path`: an Info.plist, or only its `NSAppTransportSecurity`
  /// dictionary.
  ///
  /// Replaces `$(NAME)` by the value of NAME in `settings`.
  ///
  /// - Throws: `Diagnostics` if the file is not a property list, or if its root is not a dictionary.
  public init(_ bytes: [UInt8], path: String, settings: BuildSettings = .init()) throws(Diagnostics) {
    self.path = path
    do throws(PropertyListError) { plist = settings.expanded(try PropertyList(reading: bytes)) } catch {
      throw error.diagnostics(inFile: path, bytes: bytes)
    }
    guard plist.dictionary != nil else {
      throw Diagnostics(
        "\(path): an Info.plist is a dictionary, not a value of the type \(plist.typeName)",
        hint: "pass the app's Info.plist, or a file with its NSAppTransportSecurity dictionary")
    }
    origin = .init(in: plist)
    configuration = .init(infoPlist: plist)
    lines = Self.lines(bytes)
  }

  /// Returns the lines of a text file. UTF-16 text contains zero bytes, and none of its lines are shown.
  private static func lines(_ bytes: [UInt8]) -> [String] {
    if bytes.contains(0) || bytes.starts(with: Array("bplist".utf8)) { return [] }
    return bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
      String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
    }
  }

  /// Returns the line at a place; nil if the file has no lines to show.
  public func line(at place: PropertyList.Place) -> String? {
    lines.indices.contains(place.line - 1) ? lines[place.line - 1] : nil
  }

  /// Returns the place of a decision's key path; see `AppTransportSecurity.LintFinding.Spot.init(of:in:)`.
  public func spot(of keyPath: String) -> AppTransportSecurity.LintFinding.Spot { .init(of: keyPath, in: plist) }

  /// The kind of bundle that the property list belongs to.
  public var nature: AppTransportSecurity.PropertyListNature {
    plist.dictionary.map(AppTransportSecurity.PropertyListNature.init) ?? .other
  }

  /// The platform that the build settings, the bundle or the minimum system indicates; iOS by default.
  public var platform: OSVersion.Family { plist.dictionary?.platform(inBundleOf: bundle) ?? .iOS }

  /// The platform that the path indicates. Only Mac bundles have a folder Contents ("Placing content in a bundle").
  private var bundle: OSVersion.Family? { path.hasSuffix("Contents/Info.plist") ? .macOS : nil }

  /// The first system release that the app runs on; nil if the list does not name one.
  public var firstRelease: OSVersion? { plist.dictionary?.firstRelease(of: platform) }

  /// Returns all lint findings for these systems (see `AppTransportSecurity.lint`).
  public func findings(systems: [OSVersion] = []) -> [AppTransportSecurity.LintFinding] {
    AppTransportSecurity.lint(plist, systems: systems, inBundleOf: bundle)
  }

  /// Warnings about keys and values that the system silently ignores.
  public var remarks: [Diagnostic] {
    InfoPlistRemarks(
      AppTransportSecurity.passedOver(in: plist, inBundleOf: bundle), inFile: path,
      fallback: SourceMark(file: path, line: 1, column: 1)
    ).diagnostics()
  }
}

/// Warnings about an App Transport Security dictionary: keys and values that the system silently ignores.
///
/// The scenario behaves as on iOS, but its author should see the warning.
struct InfoPlistRemarks {
  let findings: [AppTransportSecurity.LintFinding]
  /// Whether the dictionary is written in YAML rather than in a property list.
  var isInline = false
  /// Returns the place of a finding.
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
  /// Creates warnings about a dictionary in a scenario; `fallback` marks those without a known place.
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

  /// Creates warnings from findings in the property list at `path`.
  init(_ findings: [AppTransportSecurity.LintFinding], inFile path: String, fallback: SourceMark) {
    self.init(findings: findings) { spot in
      spot.place.map { SourceMark(file: path, line: $0.line, column: $0.column) } ?? fallback
    }
  }
}

/// The notation of a pinned identity in a scenario's property list.
///
/// `spki(api)` means the Base64 of the SHA-256 of the SubjectPublicKeyInfo of the certificate `api`, which its author
/// cannot know in advance.
enum PinnedIdentityText {
  /// Returns the certificate that `text` names; nil for any other text.
  static func name(in text: String) -> String? {
    guard text.hasPrefix("spki("), text.hasSuffix(")") else { return nil }
    return String(text.dropFirst(5).dropLast())
  }

  /// Returns the text of the identity as in an Info.plist.
  static func text(of certificate: Certificate) -> String {
    Base64.encode(PublicKeyPins.Pin.fingerprint(of: certificate))
  }

  /// Returns a well-formed identity that is different for every name, for checks of the form only.
  static func sample(of name: String) -> String { Base64.encode(Hash.sha256.digest(Array(name.utf8))) }
}

extension PropertyList {
  /// The names of the certificates whose identities the list contains.
  var identities: [String] {
    switch self {
    case .dictionary(let dictionary): dictionary.entries.flatMap(\.value.identities)
    case .array(let values): values.flatMap(\.identities)
    case .string(let text): PinnedIdentityText.name(in: text).map { [$0] } ?? []
    default: []
    }
  }

  /// Returns this list with every identity resolved.
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
  /// The names of the certificates whose identities an inline list contains.
  var identities: [String] {
    if case .inline(let list) = self { list.identities } else { [] }
  }
}
