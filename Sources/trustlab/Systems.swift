import Scenarios
import Trust
import URLLoading

extension OSVersion {
  /// Returns the operating system called `name`, ignoring case and with or without the space. `iPadOS` is read as
  /// `iOS`.
  ///
  /// - Throws: `Diagnostics` with the nearest name if there is no such release.
  static func named(_ name: String) throws -> OSVersion { try named(name, isQuoted: true) }

  /// Returns the operating system called `name`. The hint of an error shows quotes if `isQuoted`.
  static func named(_ name: String, isQuoted: Bool) throws -> OSVersion {
    if let version = OSVersion(name) ?? OSVersion(relaxed: name) {
      guard name.lowercased().hasPrefix("ipados"), version.major < firstIPadOS else { return version }
      throw Diagnostics(
        "no such release: \(name)",
        hint: "the first release is iPadOS \(firstIPadOS); \(question(version, isQuoted: isQuoted))"
      )
    }
    let stranger = strangers.first { name.lowercased().hasPrefix($0.lowercased()) }
    if let stranger {
      let example = isQuoted ? "\"iOS 18.4\"" : "iOS 18.4"
      throw Diagnostics(
        "this command does not support \(stranger)",
        hint: "only 'ats decide' supports it; use a release of iOS, iPadOS or macOS: \(example)")
    }
    if Family.allCases.contains(where: { $0.rawValue.lowercased() == name.lowercased() }) {
      throw Diagnostics(
        "'\(name)' has no release number",
        hint: isQuoted ? "add one, in quotes: \"iOS 18.4\"" : "add one: iOS 18.4")
    }
    let written = defaultName(of: name) ?? name
    if let near = nearest(to: written) {
      let limit = end(of: written).map { "\($0); " } ?? ""
      throw Diagnostics("no such release: \(name)", hint: limit + question(near, isQuoted: isQuoted))
    }
    // The letter O is often typed instead of zero.
    let number = String(name.drop { !$0.isNumber }.map { "Oo".contains($0) ? "0" : $0 })
    let same = number.isEmpty ? [] : ["iOS \(number)", "macOS \(number)"].filter { OSVersion($0) != nil }
    let usual = ["iOS 8", "iOS 9", "iOS 10", "iOS 17", "iOS 18.4", "macOS 10.11", "macOS 14", "macOS 15.4"]
    // A negative number does not indicate the intended release.
    let isNegative = name.split(separator: " ").last?.first == "-"
    let isBare = name.first?.isNumber ?? false
    let near =
      isNegative
      ? nil
      : (isBare ? same.first : nil) ?? Spelling.nearest(to: name, among: same + usual, within: max(2, name.count / 3))
    let hint =
      (near ?? Spelling.nearest(to: name, among: ["doc"], within: 1)).map {
        "did you mean '\($0)'?" + (isQuoted ? " Quote it: \"\($0)\"" : "")
      }
      ?? "write iOS 10, iOS 18.4, macOS 10.13 or doc"
    throw Diagnostics("unknown operating system '\(name)'", hint: hint)
  }

  /// The first major release of iPadOS. Until iOS 12, the system of an iPad was called iOS.
  private static let firstIPadOS = 13

  private static func question(_ near: OSVersion, isQuoted: Bool) -> String {
    "did you mean '\(near)'?" + (isQuoted ? " Quote it: \"\(near)\"" : "")
  }

  private static let strangers = Family.allCases.filter(\.isBesideIOS).map(\.rawValue)

  /// Returns the operating system called `name`. App Transport Security decisions also cover tvOS, watchOS and
  /// visionOS.
  ///
  /// - Throws: `Diagnostics` with the nearest name if there is no such release.
  static func deciding(_ name: String) throws -> OSVersion {
    let letters = name.lowercased().prefix { !$0.isNumber }.filter { $0 != " " }
    guard let family = Family.allCases.first(where: { $0.isBesideIOS && $0.rawValue.lowercased() == letters }) else {
      return try named(name)
    }
    let written = "\(family.rawValue) \(name.drop { !$0.isNumber })"
    if let version = OSVersion(ofAnyPlatform: written) { return version }
    guard let limit = end(of: written), let near = nearest(to: written) else {
      throw Diagnostics("no such release: '\(name)'", hint: "the known releases are \(releases(of: family))")
    }
    throw Diagnostics("no such release: '\(name)'", hint: "\(limit); \(question(near, isQuoted: true))")
  }

  /// Returns one release of each era of App Transport Security on a platform.
  static func eras(of family: Family) -> [OSVersion] {
    switch family {
    case .macOS: erasOfMac
    case .tvOS: [OSVersion(.tvOS, 9), OSVersion(.tvOS, 10), OSVersion(.tvOS, 17), OSVersion(.tvOS, 18, 4)]
    case .watchOS:
      [OSVersion(.watchOS, 2), OSVersion(.watchOS, 3), OSVersion(.watchOS, 10), OSVersion(.watchOS, 11, 4)]
    case .visionOS: [OSVersion(.visionOS, 1), OSVersion(.visionOS, 2, 4)]
    case .iOS, .documentation: eras
    }
  }

  /// Returns one release of each era on the platform of `file`, starting with the first release that its app supports.
  static func eras(of file: InfoPlistFile?) -> [OSVersion] {
    guard let file else { return eras }
    let usual = eras(of: file.platform)
    return file.firstRelease.map { first in [first] + usual.filter { $0 > first } } ?? usual
  }

  private init?(relaxed name: String) {
    if name.lowercased().filter({ $0 != " " }) == Family.documentation.rawValue {
      self = .documentation
    } else {
      guard let written = Self.defaultName(of: name) else { return nil }
      self.init(written)
    }
  }

  /// One iOS release of each era of App Transport Security, which are used if the user names none.
  static let eras = [OSVersion(.iOS, 9), OSVersion(.iOS, 10), OSVersion(.iOS, 17), latest]
  /// One macOS release of each era of App Transport Security.
  static let erasOfMac = [
    OSVersion(.macOS, 10, 11), OSVersion(.macOS, 10, 12), OSVersion(.macOS, 14), OSVersion(.macOS, 15, 4),
  ]
  /// The first release of the latest era of App Transport Security.
  static let latest = OSVersion(.iOS, 18, 4)
}

extension Loader {
  /// Returns the loader called `name`, ignoring case.
  ///
  /// - Throws: `Diagnostics` with the nearest name if there is no such loader.
  static func named(_ name: String) throws -> Loader {
    if let loader = allCases.first(where: { $0.rawValue.lowercased() == name.lowercased() }) { return loader }
    throw Diagnostics(
      "unknown loader '\(name)'", hint: Spelling.hint(for: name, among: Loader.allCases.map(\.rawValue)))
  }
}

extension LoadURL {
  /// Parses a URL that the user has typed.
  ///
  /// - Throws: `Diagnostics` with the missing part.
  static func written(_ text: String) throws -> LoadURL {
    guard !BuildSettings.isUnexpanded(text) else {
      throw Diagnostics(
        "'\(text)' contains an unexpanded build setting",
        hint: "write the URL that the app loads; --define and --xcconfig apply only to property lists")
    }
    do throws(Obstacle) {
      let url = try LoadURL(text)
      // In `api.example:443`, `api.example` is a host, although it could be a scheme.
      let isHost = url.host.isEmpty && (url.scheme.contains(".") || url.path.first?.isNumber == true)
      if isHost { throw .scheme }
      return url
    } catch {
      let hint = error == .scheme ? "write https://\(text)" : "write https://api.example/path"
      throw Diagnostics("'\(text)' cannot be loaded. \(error.rawValue)", hint: hint)
    }
  }
}
