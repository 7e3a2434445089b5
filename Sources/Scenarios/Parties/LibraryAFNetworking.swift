import Explanation
import URLLoading

/// AFSecurityPolicy, as a scenario describes it.
public struct AFNetworkingDescription: Sendable, Hashable {
  /// The constructor of the policy.
  public enum Constructor: String, Sendable, Hashable, CaseIterable {
    /// The constructor defaultPolicy: no pins, and the defaults of the library's release.
    case standard = "default"
    /// The constructor policyWithPinningMode:.
    case withMode = "with-mode"
  }

  /// The way in which the app links AFNetworking.
  public enum Linkage: String, Sendable, Hashable, CaseIterable {
    /// The library is in the app's own binary, so its bundle is the app's bundle.
    case `static`
    /// The library is a dynamic framework, which has its own bundle.
    case framework
  }

  /// The release of AFNetworking.
  public let version: LibraryVersion
  var written: LibraryVersion?
  /// The library's transport; nil for that of the client's loader.
  public var transport: AFNetworking.Transport?
  /// The constructor of the policy; nil for the one that matches the pinning mode.
  public var constructor: Constructor?
  /// The value of SSLPinningMode.
  public var pinning = AFNetworking.PinningMode.none
  /// The certificates that the app sets as pins; nil for none.
  public var pins: [String]?
  /// The certificate files in the app's bundle; nil for none.
  public var bundle: [BundledFile]?
  /// The way in which the app links the library.
  public var linkage = Linkage.static
  /// The type of the collection that contains the pins.
  public var collection: AFNetworking.Collection?
  /// The value of allowInvalidCertificates.
  public var allowsInvalidCertificates = false
  /// The value of validatesDomainName; nil for the default of the release.
  public var validatesDomainName: Bool?
  /// The value of validatesCertificateChain, if the release has this property.
  public var validatesCertificateChain = true
  /// The block that is used in place of the policy.
  public var challengeBlock = AFNetworking.ChallengeBlock.none
  /// The base URL of the session manager; nil for none.
  public var baseURL: String?

  init(version: LibraryVersion) { self.version = version }

  /// The names of the certificates in the library's configuration.
  var names: [String] { (pins ?? []) + (bundle ?? []).compactMap(\.holds) }

  static let section = Section<AFNetworkingDescription>(
    "AFNetworking", "The AFSecurityPolicy of AFNetworking. A property that the release does not have is an error.",
    [
      .term("library", .libraryVersion, "the library and its release, such as AFNetworking 3.1", into: \.written),
      .term(
        "transport", .choice(called: "transport"),
        "the transport: session, or connection until 2.7; default: the transport of the client's loader",
        into: \.transport),
      .term(
        "policy", .choice(called: "constructor"),
        "the constructor of the policy, which sets its defaults: default or with-mode; default: depends on the mode",
        into: \.constructor),
      .term("pinning", .choice(called: "pinning mode"), "SSLPinningMode; default: none", into: \.pinning),
      .term("pins", .certificateNames, "the certificates in pinnedCertificates", into: \.pins),
      .term(
        "bundle", .list(.section(BundledFile.section) { BundledFile() }),
        "the certificate files in the app; the library loads the files that it finds", into: \.bundle),
      .term(
        "linkage", .choice(called: "linkage"),
        "whether the library is in the app's binary or in a framework with its own bundle; default: static",
        into: \.linkage),
      .term(
        "collection", .choice(called: "collection"),
        "the type of the value assigned to pinnedCertificates: array, set or array-of-set; default: the declared type",
        into: \.collection),
      .term(
        "allowInvalidCertificates", .flag, "whether the app accepts invalid certificates; default: false",
        into: \.allowsInvalidCertificates),
      .term(
        "validatesDomainName", .flag,
        "whether host names are compared; default: depends on the release and the constructor",
        into: \.validatesDomainName),
      .term(
        "validatesCertificateChain", .flag,
        "2.1.0 to 2.5.4: whether every certificate in the path must be pinned; default: true",
        into: \.validatesCertificateChain),
      .term(
        "challengeBlock", .choice(called: "block"),
        "the app's block for challenges; the block of the session replaces the policy", into: \.challengeBlock),
      .term(
        "baseURL", .text, "the manager's base URL; since 3.2.0, a policy with pins needs an https URL",
        into: \.baseURL),
    ])

  /// The sentences that `describe` prints about the library.
  var sentences: [String] {
    var facts = ["allowInvalidCertificates is \(allowsInvalidCertificates ? "YES" : "NO")"]
    let names = validatesDomainName ?? policy.validatesDomainName
    if AFNetworking.has("validatesDomainName", version) { facts.append("validatesDomainName \(names ? "YES" : "NO")") }
    if AFNetworking.has("validatesCertificateChain", version) {
      facts.append("validatesCertificateChain \(validatesCertificateChain ? "YES" : "NO")")
    }
    let files = pins ?? bundle?.map(\.file)
    return [
      "\(version) evaluates servers in the mode \(pinning.rawValue)"
        + (files.map { ", with \($0.listed)" } ?? "") + ": " + facts.joined(separator: ", ") + "."
    ]
  }

  /// The policy without its pins.
  var policy: AFNetworking {
    var library = AFNetworking(
      version, pinning, isDefault: constructor == .standard || constructor == nil && pinning == .none)
    library.allowsInvalidCertificates = allowsInvalidCertificates
    if let validatesDomainName { library.validatesDomainName = validatesDomainName }
    library.validatesCertificateChain = validatesCertificateChain
    if let transport { library.transport = transport }
    library.challengeBlock = challengeBlock
    library.collection = collection
    library.hasSecureBaseURL = baseURL?.lowercased().hasPrefix("https:") ?? false
    return library
  }

  /// Returns the loader that the library needs if the client has `loader`.
  func loader(_ loader: Loader) -> Loader {
    let possible = AFNetworking.transports(version)
    let wanted = transport ?? (loader == .nsurlConnection ? .connection : .session)
    return (possible.contains(wanted) ? wanted : possible.first ?? wanted) == .session ? .urlSession : .nsurlConnection
  }

  func check(_ map: MapReader) {
    let properties = [
      "pinning", "pins", "bundle", "allowInvalidCertificates", "validatesDomainName", "validatesCertificateChain",
    ]
    for property in properties where !AFNetworking.has(property, version) {
      guard let reader = map[property] else { continue }
      reader.fail("\(version) has no \(property)", hint: hint(property))
    }
    if let transport, !AFNetworking.transports(version).contains(transport) {
      map["transport"]?.fail(
        "\(version) does not support the transport \(transport.rawValue)",
        hint: "write \(AFNetworking.transports(version).map(\.rawValue).joined(separator: " or "))")
    }
    if pins != nil, bundle != nil {
      map["bundle"]?.fail("'pins' replaces the pins of the bundle", hint: "keep either pins or bundle")
    }
    if constructor == .standard, pinning != .none, version.isAtLeast(2, 5, 0) {
      map["policy"]?.fail(
        "the mode of defaultPolicy is None, and it is read-only since 2.5.0",
        hint: "write policy: with-mode, or leave it out"
      )
    }
  }

  private func hint(_ property: String) -> String {
    switch property {
    case "validatesCertificateChain" where version.isAtLeast(2, 6):
      "only releases 2.1.0 to 2.5.4 have this property; use validatesDomainName"
    case "validatesCertificateChain", "validatesDomainName":
      "releases since 2.1.0 have this property; in older releases, use allowInvalidCertificates"
    case "allowInvalidCertificates":
      "releases since 1.2.1 have this property; in older releases, a macro has the effect of pinning: none"
    default: "releases since 1.1.0 have this property"
    }
  }
}

/// A certificate file in the app.
public struct BundledFile: Sendable, Hashable {
  /// The encoding of the file.
  public enum Encoding: String, Sendable, Hashable, CaseIterable {
    case der
    case pem
  }

  /// The place of the file in the app.
  public enum Place: String, Sendable, Hashable, CaseIterable {
    /// The file is at the top level of the app's bundle.
    case main
    /// The file is at the top level of the library's own bundle.
    case framework
    /// The file is in a folder of the app's bundle.
    case folder
  }

  /// The name of the file: `api.cer`.
  public var file = ""
  /// The name of the certificate in the file.
  public var holds: String?
  /// The encoding of the file.
  public var encoding = Encoding.der
  /// The place of the file in the app.
  public var place = Place.main

  static let section = Section<BundledFile>(
    "bundled file", "A file in the app.",
    [
      .term("file", .text, "the name of the file, such as api.cer", into: \.file),
      .term("holds", .text, "the certificate in the file", into: \.holds),
      .term("encoding", .choice(called: "encoding"), "der or pem; default: der", into: \.encoding),
      .term(
        "in", .choice(called: "place"),
        "location of the file: in the app's main bundle (main), the library's own bundle (framework) or a folder of the "
          + "app's bundle (folder); default: main", into: \.place),
    ])
}

extension AFNetworkingDescription {
  /// Returns the bundle files that the library loads, and the reason for each file that it does not load.
  func loaded() -> (files: [BundledFile], unloaded: [AFNetworking.Unloaded]) {
    guard let bundle else { return ([], []) }
    var unloaded: [AFNetworking.Unloaded] = []
    if version.number == "2.0.0" { return ([], [.allOfRelease(version)]) }
    if constructor == .standard || constructor == nil && pinning == .none {
      return ([], [.allOfDefaultPolicy])
    }
    // Until 1.3.2 and from 2.0.1 to 3.2.1 the library searches its own bundle, otherwise the main one.
    let isMain = version.isAtLeast(4, 0) || version.isAtLeast(1, 3, 3) && !version.isAtLeast(2, 0)
    let place: BundledFile.Place = isMain || linkage == .static ? .main : .framework
    let files = bundle.filter { file in
      guard file.file.hasSuffix(".cer") else {
        unloaded.append(.otherExtension(file.file))
        return false
      }
      guard file.place == place else {
        unloaded.append(.elsewhere(file.file, isMain: isMain))
        return false
      }
      return true
    }
    return (files, unloaded)
  }
}
