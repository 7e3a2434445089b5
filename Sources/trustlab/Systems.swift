import Scenarios
import Trust
import URLLoading

extension OSVersion {
  /// The system that a user calls `name`, in any case and with or without the space; `iPadOS` is read as `iOS`.
  ///
  /// - Throws: `Diagnostics` with the nearest name when there is none.
  static func named(_ name: String) throws -> OSVersion { try named(name, isQuoted: true) }

  /// The system that a user calls `name`, where a name with a space has to be quoted or need not be.
  static func named(_ name: String, isQuoted: Bool) throws -> OSVersion {
    if let version = OSVersion(name) ?? OSVersion(relaxed: name) {
      guard name.lowercased().hasPrefix("ipados"), version.major < firstIPadOS else { return version }
      throw Diagnostics(
        "there is no \(name)", hint: "the first is iPadOS \(firstIPadOS); \(question(version, isQuoted: isQuoted))")
    }
    let stranger = strangers.first { name.lowercased().hasPrefix($0.lowercased()) }
    if let stranger {
      let example = isQuoted ? "\"iOS 18.4\"" : "iOS 18.4"
      throw Diagnostics(
        "nothing is known here of \(stranger)",
        hint: "no source here says how it connects ('ats decide' knows it); ask about iOS, iPadOS or macOS: \(example)")
    }
    if Family.allCases.contains(where: { $0.rawValue.lowercased() == name.lowercased() }) {
      throw Diagnostics(
        "'\(name)' is no release of a system",
        hint: isQuoted ? "name one, in quotes: \"iOS 18.4\"" : "name one: iOS 18.4")
    }
    let written = usualName(of: name) ?? name
    if let near = nearest(to: written) {
      let limit = end(of: written).map { "\($0); " } ?? ""
      throw Diagnostics("there is no \(name)", hint: limit + question(near, isQuoted: isQuoted))
    }
    // The letter is often written for the digit.
    let number = String(name.drop { !$0.isNumber }.map { "Oo".contains($0) ? "0" : $0 })
    let same = number.isEmpty ? [] : ["iOS \(number)", "macOS \(number)"].filter { OSVersion($0) != nil }
    let usual = ["iOS 8", "iOS 9", "iOS 10", "iOS 17", "iOS 18.4", "macOS 10.11", "macOS 14", "macOS 15.4"]
    // What is no number of a release says nothing about which one was meant.
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

  /// Before, an iPad's system was called iOS.
  private static let firstIPadOS = 13

  private static func question(_ near: OSVersion, isQuoted: Bool) -> String {
    "did you mean '\(near)'?" + (isQuoted ? " Quote it: \"\(near)\"" : "")
  }

  private static let strangers = Family.allCases.filter(\.isBesideIOS).map(\.rawValue)

  /// The system that a user calls `name`, where App Transport Security alone is asked: of tvOS, watchOS and visionOS too.
  ///
  /// - Throws: `Diagnostics` with the nearest name when there is none.
  static func deciding(_ name: String) throws -> OSVersion {
    let letters = name.lowercased().prefix { !$0.isNumber }.filter { $0 != " " }
    guard let family = Family.allCases.first(where: { $0.isBesideIOS && $0.rawValue.lowercased() == letters }) else {
      return try named(name)
    }
    let written = "\(family.rawValue) \(name.drop { !$0.isNumber })"
    if let version = OSVersion(ofAnyPlatform: written) { return version }
    guard let limit = end(of: written), let near = nearest(to: written) else {
      throw Diagnostics("there is no '\(name)'", hint: "there are \(releases(of: family))")
    }
    throw Diagnostics("there is no '\(name)'", hint: "\(limit); \(question(near, isQuoted: true))")
  }

  /// One system of each era of App Transport Security on a platform.
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

  /// The same of the platform of `file`, from the first release on that its app runs on.
  static func eras(of file: InfoPlistFile?) -> [OSVersion] {
    guard let file else { return eras }
    let usual = eras(of: file.platform)
    return file.firstRelease.map { first in [first] + usual.filter { $0 > first } } ?? usual
  }

  private init?(relaxed name: String) {
    if name.lowercased().filter({ $0 != " " }) == Family.documentation.rawValue {
      self = .documentation
    } else {
      guard let written = Self.usualName(of: name) else { return nil }
      self.init(written)
    }
  }

  /// One system of each era of App Transport Security, for users who do not name any.
  static let eras = [OSVersion(.iOS, 9), OSVersion(.iOS, 10), OSVersion(.iOS, 17), latest]
  /// The same of the Mac.
  static let erasOfMac = [
    OSVersion(.macOS, 10, 11), OSVersion(.macOS, 10, 12), OSVersion(.macOS, 14), OSVersion(.macOS, 15, 4),
  ]
  /// The first system of the latest era.
  static let latest = OSVersion(.iOS, 18, 4)
}

extension Loader {
  /// The loader that a user calls `name`, in any case.
  ///
  /// - Throws: `Diagnostics` with the nearest name when there is none.
  static func named(_ name: String) throws -> Loader {
    if let loader = allCases.first(where: { $0.rawValue.lowercased() == name.lowercased() }) { return loader }
    throw Diagnostics(
      "unknown loader '\(name)'", hint: Spelling.hint(for: name, among: Loader.allCases.map(\.rawValue)))
  }
}

extension LoadURL {
  /// The URL that a user writes as `text`.
  ///
  /// - Throws: `Diagnostics` that says what is missing.
  static func written(_ text: String) throws -> LoadURL {
    guard !BuildSettings.isUnexpanded(text) else {
      throw Diagnostics(
        "'\(text)' has a build setting in it that is not replaced",
        hint: "write the URL that the app loads; --define and --xcconfig are for what stands in a property list")
    }
    do throws(Obstacle) {
      let url = try LoadURL(text)
      // What stands before the colon of `api.example:443` is a host, although it could be a scheme.
      let isHost = url.host.isEmpty && (url.scheme.contains(".") || url.path.first?.isNumber == true)
      if isHost { throw .scheme }
      return url
    } catch {
      let hint = error == .scheme ? "write https://\(text)" : "write https://api.example/path"
      throw Diagnostics("'\(text)' cannot be loaded. \(error.rawValue)", hint: hint)
    }
  }
}
