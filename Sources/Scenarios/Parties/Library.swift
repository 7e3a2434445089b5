import Cryptography
import Explanation
import PKIX
import URLLoading

/// A library that makes trust decisions for the app, as a scenario describes it.
public enum LibraryDescription: Sendable, Hashable {
  /// The library AFNetworking.
  case afNetworking(AFNetworkingDescription)
  /// The library Alamofire.
  case alamofire(AlamofireDescription)
  /// The library TrustKit.
  case trustKit(TrustKitDescription)

  /// The release of the library.
  public var version: LibraryVersion {
    switch self {
    case .afNetworking(let library): library.version
    case .alamofire(let library): library.version
    case .trustKit(let library): library.version
    }
  }

  /// The names of the certificates in the library's configuration.
  var names: [String] {
    switch self {
    case .afNetworking(let library): library.names
    case .alamofire(let library): library.entries?.flatMap(\.value.names) ?? []
    case .trustKit(let library): library.domains.flatMap(\.value.pins.names)
    }
  }

  /// The sentences that `describe` prints about the library.
  var sentences: [String] {
    switch self {
    case .afNetworking(let library): library.sentences
    case .alamofire(let library): library.sentences
    case .trustKit(let library): library.sentences
    }
  }

  /// The sections with the keys of the libraries.
  static let sections: [WordSection] = [
    AFNetworkingDescription.section.words, BundledFile.section.words, AlamofireDescription.section.words,
    AlamofireEntry.section.words, TrustKitDescription.section.words, TrustKitDomainDescription.section.words,
  ]

  /// The shapes of a library where a map of trust settings is also permitted.
  static let shapes: [Word.Shape] = [
    .section(AFNetworkingDescription.section.name), .section(AlamofireDescription.section.name),
    .section(TrustKitDescription.section.name),
  ]
}

extension Kind {
  /// A library with its release, such as `AFNetworking 3.1`.
  static var libraryVersion: Kind<LibraryVersion> {
    Kind<LibraryVersion>(.kind("library", .pattern("^(AFNetworking|Alamofire|TrustKit) v?[0-9]+([.][0-9]+){0,2}$"))) {
      $0.libraryVersion()
    }
  }
}

extension NodeReader {
  fileprivate func libraryVersion() -> LibraryVersion? {
    guard let text = text() else { return nil }
    if let version = LibraryVersion(text) {
      if let change = version.change(within: text) {
        sink.warning(
          "'\(text)' is taken to mean \(version); releases before \(change) behave differently",
          hint: "write the release in full: \(version)", at: node.mark)
      }
      return version
    }
    let parts = text.split(separator: " ").map(String.init)
    let names = LibraryVersion.Name.allCases.map(\.rawValue)
    guard let name = parts.first.flatMap(LibraryVersion.Name.init) else {
      fail("unknown library '\(text)'", hint: Spelling.hint(for: parts.first ?? text, among: names))
      return nil
    }
    let releases = LibraryVersion.all.filter { $0.library == name }
    guard parts.count == 2 else {
      fail(
        "'\(text)' has no release number", hint: "write \(name.rawValue) \(releases.last?.number ?? "1.0")")
      return nil
    }
    fail(
      "\(name.rawValue) has no release \(parts[1])",
      hint: LibraryVersion(nearestTo: parts[1], of: name).map {
        "did you mean '\($0.number)'? "
          + "The known releases are \(releases.first?.number ?? "") to \(releases.last?.number ?? "")"
      } ?? "write a release such as 3.1 or 2.5.4")
    return nil
  }

  /// Returns the release that was probably meant if this one does not exist. The other settings can then still be
  /// checked.
  fileprivate func nearestLibraryVersion() -> LibraryVersion? {
    guard case .scalar(let text, _, _) = node else { return nil }
    let parts = text.split(separator: " ").map(String.init)
    let names = LibraryVersion.Name.allCases.map(\.rawValue)
    let meant = parts.first.flatMap { Spelling.nearest(to: $0, among: names) }.flatMap(LibraryVersion.Name.init)
    return meant.flatMap { name in
      LibraryVersion(name, parts.last ?? "") ?? LibraryVersion(nearestTo: parts.last ?? "", of: name)
        ?? LibraryVersion.all.last { $0.library == name }
    }
  }

  /// Reads a library's configuration; nil if it is invalid, which is reported.
  func library() -> LibraryDescription? {
    guard let entry = node.entries?.first(where: { $0.key == "library" }) else { return nil }
    let reader = NodeReader(node: entry.value, path: "\(path).library", sink: sink)
    let known = reader.libraryVersion()
    guard let version = known ?? reader.nearestLibraryVersion() else { return nil }
    // If the release is a guess, its properties are not checked: only the wrong number is reported.
    let isKnown = known != nil
    switch version.library {
    case .afNetworking:
      var library = AFNetworkingDescription(version: version)
      guard let map = read(AFNetworkingDescription.section, into: &library) else { return nil }
      if isKnown { library.check(map) }
      return .afNetworking(library)
    case .alamofire:
      var library = AlamofireDescription(version: version)
      guard let map = read(AlamofireDescription.section, into: &library) else { return nil }
      if isKnown { library.check(map) }
      return .alamofire(library)
    case .trustKit:
      var library = TrustKitDescription(version: version)
      guard let map = read(TrustKitDescription.section, into: &library) else { return nil }
      if isKnown { library.check(map) }
      return .trustKit(library)
    }
  }
}

/// The keys that TrustKit pins: by the name of a certificate with that key, or by hash.
public struct PinList: Sendable, Hashable {
  /// The pins as written in the scenario: `api`, `spare.key`, `sha256/…`.
  public var texts: [String] = []

  /// The names of the certificates in the pins.
  var names: [String] { texts.filter { !$0.hasPrefix("sha256/") }.map(Self.certificate) }

  /// Returns the name of the certificate with a key: `spare` for `spare.key`.
  static func certificate(_ text: String) -> String { text.hasSuffix(".key") ? String(text.dropLast(4)) : text }
}

extension Kind {
  /// A list of keys, given by the names of their certificates or by hash.
  static var pinList: Kind<PinList> {
    Kind<PinList>(.list(.text)) { reader in
      let texts = reader.list { item -> String? in
        guard let text = item.text() else { return nil }
        guard text.hasPrefix("sha256/") else { return text }
        let bytes = try? Base64.decode(String(text.dropFirst(7)))
        guard bytes?.count == 32 else {
          item.fail(
            "'\(text)' is not a valid pin: \(bytes.map { "it has \($0.count) bytes" } ?? "it is not Base64")",
            hint: "write the SHA-256 of a SubjectPublicKeyInfo: 32 bytes, 44 characters of Base64")
          return nil
        }
        return text
      }
      if texts?.isEmpty == true, case .list(let items, _) = reader.node, items.isEmpty {
        reader.fail("\(reader.path) pins nothing", hint: "write [api, spare.key]")
      }
      return texts.map(PinList.init)
    }
  }
}
