import Explanation
import Trust
import URLLoading

/// TrustKit with its settings, as a scenario describes it.
public struct TrustKitDescription: Sendable, Hashable {
  /// The way in which the app uses the library.
  public enum Use: String, Sendable, Hashable, CaseIterable {
    /// The app's delegate passes every challenge to the library.
    case handleChallenge = "handle-challenge"
    /// The library intercepts the calls to the app's delegate.
    case swizzle
    /// The app calls the library, and treats every result except a refusal as success.
    case evaluateOnly = "evaluate-only"
  }

  /// The release of TrustKit.
  public let version: LibraryVersion
  var written: LibraryVersion?
  /// The way in which the app uses the library.
  public var use = Use.handleChallenge
  /// The app's own delegate, which the library calls after it has intercepted a challenge.
  public var otherwise = ServerTrustDescription.Delegate.none
  /// The value of TSKIgnorePinningForUserDefinedTrustAnchors.
  public var ignoresUserAnchors = true
  /// The entries of TSKPinnedDomains.
  public var domains: [String: TrustKitDomainDescription] = [:]

  init(version: LibraryVersion) { self.version = version }

  static let section = Section<TrustKitDescription>(
    "TrustKit", "TrustKit's configuration.",
    [
      .term("library", .libraryVersion, "the library and its release, such as TrustKit 3.0", into: \.written),
      .term(
        "use", .choice(called: "use"),
        "how the app uses TrustKit: handle-challenge, swizzle or evaluate-only; default: handle-challenge",
        into: \.use),
      .term("otherwise", .delegate, "for swizzle: the app's own delegate; default: default", into: \.otherwise),
      .term(
        "ignorePinningForUserDefinedTrustAnchors", .flag,
        "on macOS: whether a user-installed root disables pinning; default: true",
        into: \.ignoresUserAnchors),
      .term(
        "pinnedDomains", .named(.section(TrustKitDomainDescription.section) { TrustKitDomainDescription() }),
        "TSKPinnedDomains: the domains and their pins", into: \.domains),
    ])

  /// The sentences that `describe` prints about the library.
  var sentences: [String] {
    let words = domains.sorted { $0.key < $1.key }.map { "\($0.key)\($0.value.words)" }
    return ["\(version) has these domains: \(words.joined(separator: "; "))."]
  }

  func check(_ map: MapReader) {
    if use == .handleChallenge, !version.isAtLeast(1, 4) {
      (map["use"] ?? map.reader).fail(
        "\(version) has no handleChallenge", hint: "releases since 1.4.0 have this method; write use: swizzle")
    }
    if otherwise != .none, use != .swizzle {
      map["otherwise"]?.fail("'otherwise' needs a swizzled delegate", hint: "write use: swizzle")
    }
    if domains.isEmpty, map["pinnedDomains"] == nil {
      map.reader.fail(
        "\(map.reader.path) pins no domain",
        hint: "write pinnedDomains: { api.example: { publicKeyHashes: [api, spare.key] } }")
    }
    for (name, domain) in domains {
      let entry = map["pinnedDomains"]?.node[name]
      func fail(_ key: String, _ since: String) {
        guard let node = entry?[key] else { return }
        map.reader.sink.error(
          "\(version) has no \(key)",
          hint: "releases since \(since) have this key; use includeSubdomains or enforcePinning",
          at: node.mark)
      }
      if domain.expirationDate != nil, !version.isAtLeast(1, 4, 1) { fail("expirationDate", "1.4.1") }
      if !version.isAtLeast(1, 4, 2) { fail("excludeSubdomainFromParentPolicy", "1.4.2") }
      if version.isAtLeast(1, 6), let node = entry?["publicKeyAlgorithms"] {
        map.reader.sink.error(
          "\(version) has no publicKeyAlgorithms",
          hint: "remove it: releases since 1.6.0 detect the kind of key",
          at: node.mark)
      }
      for uri in entry?["reportUris"]?.items ?? [] {
        guard case .scalar(let text, _, let mark) = uri, (try? LoadURL(text))?.isHTTP != true else { continue }
        map.reader.sink.error(
          "'\(text)' is not an HTTP URL for reports", hint: "write https://reports.example/pins", at: mark)
      }
    }
  }

  /// Returns the library's policy. `pin` returns the value for each pin as written.
  func policy(_ pin: (String) -> PublicKeyPins.Pin?) -> TrustKit {
    var library = TrustKit(
      version,
      domains: domains.mapValues { description in
        var domain = TrustKit.Domain(description.pins.texts.compactMap(pin))
        domain.includesSubdomains = description.includesSubdomains
        domain.enforcesPinning = description.enforcesPinning
        domain.expiration = description.expirationDate
        domain.isExcluded = description.isExcluded
        domain.algorithms = description.algorithms
        domain.reportURIs = description.reportURIs
        domain.disablesDefaultReport = description.disablesDefaultReport
        return domain
      })
    library.ignoresUserAnchors = ignoresUserAnchors
    switch use {
    case .handleChallenge: library.use = .handleChallenge
    case .swizzle: library.use = .swizzle
    case .evaluateOnly: library.use = .evaluateOnly
    }
    return library
  }
}

/// An entry in TSKPinnedDomains.
public struct TrustKitDomainDescription: Sendable, Hashable {
  /// The value of TSKPublicKeyHashes.
  public var pins = PinList()
  /// The value of TSKIncludeSubdomains.
  public var includesSubdomains = false
  /// The value of TSKEnforcePinning.
  public var enforcesPinning = true
  /// The value of TSKExpirationDate; nil for none.
  public var expirationDate: Instant?
  /// The value of TSKExcludeSubdomainFromParentPolicy.
  public var isExcluded = false
  /// The value of TSKPublicKeyAlgorithms.
  public var algorithms: [TrustKit.KeyAlgorithm] = []
  /// The value of TSKReportUris.
  public var reportURIs: [String] = []
  /// The value of TSKDisableDefaultReportUri.
  public var disablesDefaultReport = false

  static let section = Section<TrustKitDomainDescription>(
    "TrustKit domain", "An entry in TSKPinnedDomains.",
    [
      .term(
        "publicKeyHashes", .pinList, "the pinned keys: the name of a certificate, NAME.key, or sha256/ with Base64",
        into: \.pins),
      .term(
        "includeSubdomains", .flag, "whether the entry covers subdomains; default: false", into: \.includesSubdomains),
      .term("enforcePinning", .flag, "whether a mismatch is refused; default: true", into: \.enforcesPinning),
      .term("expirationDate", .date, "the day on which pinning ends", into: \.expirationDate),
      .term(
        "excludeSubdomainFromParentPolicy", .flag,
        "whether the domain is exempt from the entry of its parent domain; default: false",
        into: \.isExcluded),
      .term(
        "publicKeyAlgorithms",
        .list(Kind<TrustKit.KeyAlgorithm>.choice(called: "key algorithm")),
        "required until 1.5.3: the kinds of keys that are hashed", into: \.algorithms),
      .term(
        "reportUris", .list(.text), "the URLs that receive reports; default: none", into: \.reportURIs),
      .term(
        "disableDefaultReportUri", .flag, "whether no reports are sent to Data Theorem's server; default: false",
        into: \.disablesDefaultReport),
    ])

  var words: String {
    if isExcluded { return " is excluded" }
    return " by \(pins.texts.listed)" + (includesSubdomains ? " with its subdomains" : "")
      + (enforcesPinning ? "" : ", report only")
      + (reportURIs.isEmpty ? "" : ", with reports to \(reportURIs.listed)")
      + (expirationDate.map { ", until \($0.shortText)" } ?? "")
  }
}
