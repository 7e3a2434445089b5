import Explanation
import Trust
import URLLoading

/// TrustKit, as a scenario describes it.
public struct TrustKitDescription: Sendable, Hashable {
  /// How the app uses it.
  public enum Use: String, Sendable, Hashable, CaseIterable {
    /// The app's delegate hands it every challenge.
    case handleChallenge = "handle-challenge"
    /// It puts itself before the app's delegate.
    case swizzle
    /// The app asks it, and takes all but a refusal for a yes.
    case evaluateOnly = "evaluate-only"
  }

  /// The release.
  public let version: LibraryVersion
  var written: LibraryVersion?
  /// How the app uses it.
  public var use = Use.handleChallenge
  /// The app's own delegate behind a swizzled one.
  public var otherwise = ServerTrustDescription.Delegate.none
  /// TSKIgnorePinningForUserDefinedTrustAnchors.
  public var ignoresUserAnchors = true
  /// TSKPinnedDomains.
  public var domains: [String: TrustKitDomainDescription] = [:]

  init(version: LibraryVersion) { self.version = version }

  static let section = Section<TrustKitDescription>(
    "TrustKit", "TrustKit's configuration.",
    [
      .term("library", .libraryVersion, "the library and its release: TrustKit 3.0", into: \.written),
      .term(
        "use", .choice(called: "use"), "handle-challenge, swizzle or evaluate-only; handle-challenge, if left out",
        into: \.use),
      .term("otherwise", .delegate, "swizzle: the app's own delegate; default, if left out", into: \.otherwise),
      .term(
        "ignorePinningForUserDefinedTrustAnchors", .flag,
        "macOS: whether pins are left alone under a root that a user installed; true, if left out",
        into: \.ignoresUserAnchors),
      .term(
        "pinnedDomains", .named(.section(TrustKitDomainDescription.section) { TrustKitDomainDescription() }),
        "TSKPinnedDomains: domains and their pins", into: \.domains),
    ])

  /// What `describe` says of it.
  var sentences: [String] {
    let words = domains.sorted { $0.key < $1.key }.map { "\($0.key)\($0.value.words)" }
    return ["\(version) decides about \(words.joined(separator: "; "))."]
  }

  func check(_ map: MapReader) {
    if use == .handleChallenge, !version.isAtLeast(1, 4) {
      (map["use"] ?? map.reader).fail("\(version) has no handleChallenge", hint: "1.4.0 brought it; write use: swizzle")
    }
    if otherwise != .none, use != .swizzle {
      map["otherwise"]?.fail("only behind a swizzled delegate is there another", hint: "write use: swizzle")
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
          "\(version) has no \(key)", hint: "\(since) brought it; includeSubdomains and enforcePinning are there",
          at: node.mark)
      }
      if domain.expirationDate != nil, !version.isAtLeast(1, 4, 1) { fail("expirationDate", "1.4.1") }
      if !version.isAtLeast(1, 4, 2) { fail("excludeSubdomainFromParentPolicy", "1.4.2") }
      if version.isAtLeast(1, 6), let node = entry?["publicKeyAlgorithms"] {
        map.reader.sink.error(
          "\(version) has no publicKeyAlgorithms",
          hint: "1.6.0 removed it and tells kinds of keys itself; 1.5.3 needs it",
          at: node.mark)
      }
      for uri in entry?["reportUris"]?.items ?? [] {
        guard case .scalar(let text, _, let mark) = uri, (try? LoadURL(text))?.isHTTP != true else { continue }
        map.reader.sink.error(
          "'\(text)' is no URL that a report can go to", hint: "write https://reports.example/pins", at: mark)
      }
    }
  }

  /// What decides, with `pin` for each pin as it is written.
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

/// One entry of TSKPinnedDomains.
public struct TrustKitDomainDescription: Sendable, Hashable {
  /// TSKPublicKeyHashes.
  public var pins = PinList()
  /// TSKIncludeSubdomains.
  public var includesSubdomains = false
  /// TSKEnforcePinning.
  public var enforcesPinning = true
  /// TSKExpirationDate.
  public var expirationDate: Instant?
  /// TSKExcludeSubdomainFromParentPolicy.
  public var isExcluded = false
  /// TSKPublicKeyAlgorithms.
  public var algorithms: [TrustKit.KeyAlgorithm] = []
  /// TSKReportUris.
  public var reportURIs: [String] = []
  /// TSKDisableDefaultReportUri.
  public var disablesDefaultReport = false

  static let section = Section<TrustKitDomainDescription>(
    "TrustKit domain", "One entry of TSKPinnedDomains.",
    [
      .term(
        "publicKeyHashes", .pinList, "the keys: a certificate's name, NAME.key, or sha256/ and Base64", into: \.pins),
      .term("includeSubdomains", .flag, "whether it covers subdomains; false, if left out", into: \.includesSubdomains),
      .term("enforcePinning", .flag, "whether a mismatch is refused; true, if left out", into: \.enforcesPinning),
      .term("expirationDate", .date, "the day from which on nothing is pinned", into: \.expirationDate),
      .term(
        "excludeSubdomainFromParentPolicy", .flag, "whether it is exempt from the entry above it; false, if left out",
        into: \.isExcluded),
      .term(
        "publicKeyAlgorithms",
        .list(Kind<TrustKit.KeyAlgorithm>.choice(called: "key algorithm")),
        "until 1.5.3, which need them: the kinds of keys that hashes are made for", into: \.algorithms),
      .term(
        "reportUris", .list(.text), "where reports are posted; nowhere of the app's, if left out", into: \.reportURIs),
      .term(
        "disableDefaultReportUri", .flag, "whether Data Theorem's server gets none; false, if left out",
        into: \.disablesDefaultReport),
    ])

  var words: String {
    if isExcluded { return " is excluded" }
    return " by \(pins.texts.listed)" + (includesSubdomains ? " with its subdomains" : "")
      + (enforcesPinning ? "" : ", and only reports")
      + (reportURIs.isEmpty ? "" : ", with reports to \(reportURIs.listed)")
      + (expirationDate.map { ", until \($0.shortText)" } ?? "")
  }
}
