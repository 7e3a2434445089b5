import Explanation
import TLS
import Trust

extension AppTransportSecurity.Deciding {
  private typealias Key = AppTransportSecurity.Key

  static let otherProtocols = Finding.Confidence.unknown("how App Transport Security treats loads that do not use HTTP")

  package static let directAddress = Finding.Confidence.unknown(
    "whether direct addresses such as 127.0.0.1 need an entry; Apple's documentation says so, but the release note "
      + "does not")

  package static func otherSpelling(of host: String) -> Finding.Confidence {
    .unknown("whether the system reads '\(host)' as a name or converts it to an address")
  }

  /// Returns the open questions that the verdict depends on, in order. No source answers them.
  func doubts(_ standing: AppTransportSecurity.Decision.Standing) -> [Finding.Confidence] {
    var doubts: [Finding.Confidence] = []
    if let doubt = profile.releaseDoubt { doubts.append(doubt) }
    doubts += settingDoubts
    doubts += repetitionDoubts
    if !load.url.isHTTP, standing.isApplied { doubts.append(Self.otherProtocols) }
    if load.url.isWebSocket, standing.isApplied { doubts.append(webSocketDoubt) }
    doubts += spellingDoubts
    if isLookedUp { doubts += lookupDoubts }
    if load.url.isSecure { doubts += versionDoubts }
    if profile.isClosed { doubts += closedDoubts }
    if isPinnedInWebView {
      doubts.append(AppTransportSecurity.PinnedIdentities.confidence(in: load.loader))
    }
    if profile.name == .documentation {
      if load.hasDirectAddress, entry == nil, profile.addresses == .listed, !isAddressOpened {
        doubts.append(
          .conflicting(
            "documentation allows no address by default, but the open engine treats 127.0.0.1 as a local "
              + "name"))
      }
      return doubts
    }
    return doubts + (entry.map(doubts(in:)) ?? globalDoubts)
  }

  /// The doubts about unexpanded build settings.
  private var settingDoubts: [Finding.Confidence] {
    var names = entry?.domain.name == load.url.host ? [] : configuration.unexpandedDomains.exceptions
    if load.url.isSecure { names += configuration.unexpandedDomains.pins.filter { !names.contains($0) } }
    let values = entry.flatMap { configuration.keys(of: $0.domain.name)?.entries } ?? []
    let texts = values.compactMap(\.value.string).filter(BuildSettings.isUnexpanded)
    let pinned = load.url.isSecure ? unexpandedIdentities : []
    var doubts: [Finding.Confidence] = []
    if let name = names.first {
      doubts.append(.unknown("whether the unexpanded build setting '\(name)' expands to this host"))
    }
    if let text = (texts + pinned).first {
      doubts.append(.unknown("the value of the unexpanded build setting '\(text)'"))
    }
    return doubts
  }

  /// The doubts about a key that occurs more than once. Systems may use any of its values.
  private var repetitionDoubts: [Finding.Confidence] {
    if configuration.settingsAreRepeated, depends(onRepetition: configuration.otherSettings) {
      return [
        .unknown(
          "which of several '\(Key.appTransportSecurity.name)' keys a system reads; TrustLab reads the last one, and "
            + "another one would change the decision")
      ]
    }
    let globals = configuration.repeatedKeys.globals.filter { entry == nil || $0 == Key.exceptionDomains.name }
    let own = entry.map { entry in
      configuration.repeatedKeys.domains.filter { $0 == entry.domain.name }
        + (configuration.keys(of: entry.domain.name)?.repeatedKeys ?? [])
    }
    return (globals + (own ?? [])).prefix(1).map {
      .unknown("which of several '\($0)' keys a system reads; TrustLab reads the last one")
    }
  }

  /// Returns whether another dictionary would change the decision.
  private func depends(onRepetition others: [PropertyList.Dictionary]) -> Bool {
    func outcome(_ decision: AppTransportSecurity.Decision) -> [String] {
      [decision.verdict.rawValue, "\(decision.isRequired)", "\(String(describing: decision.requirements))"]
    }
    let own = AppTransportSecurity.decide(load, by: configuration.withoutRepetition, profile: profile)
    return others.contains { other in
      let decision = AppTransportSecurity.decide(load, by: configuration.having(other), profile: profile)
      return outcome(decision) != outcome(own)
    }
  }

  /// The doubts about WebSockets.
  ///
  /// Documentation covers only URLSession, which supports them since iOS 13 and macOS 10.15 (URLSessionWebSocketTask).
  /// Other WebSocket libraries use sockets.
  private var webSocketDoubt: Finding.Confidence {
    let isOfSystem = load.loader.isWebView || load.os.isAtLeast(iOS: (13, 0), macOS: (10, 15))
    return isOfSystem
      ? .likely("no source covers WebSockets: TrustLab treats ws as http and wss as https")
      : .unknown(
        "which library implements WebSockets before iOS 13 and macOS 10.15; App Transport Security does not "
          + "cover sockets")
  }

  /// Whether the system looks up an entry for the load.
  private var isLookedUp: Bool { !configuration.domains.isEmpty }

  /// The doubts about the normalisation of hosts before the lookup.
  private var lookupDoubts: [Finding.Confidence] {
    let url = load.url
    if !url.writtenHost.utf8.allSatisfy({ $0 < 128 }) {
      return [.unknown("how systems look up internationalised names")]
    }
    guard let address = url.address, profile.addresses == .listed else { return [] }
    return addressDoubts(address)
  }

  private func addressDoubts(_ address: IPAddress) -> [Finding.Confidence] {
    var doubts: [Finding.Confidence] = []
    let domains = configuration.domains
    if entry?.domain.name != load.url.host || load.url.writtenHost != load.url.host,
      domains.contains(where: { $0.range == nil && $0.name != load.url.host && IPAddress($0.name) == address })
    {
      doubts.append(.unknown("whether the lookup finds an entry with another spelling of the address"))
    }
    if let misread = domains.first(where: {
      ($0.range?.contains(address) == true) != ($0.rangeInCode?.contains(address) == true)
    }) {
      let reading = misread.rangeInCode.map {
        "reads '\(misread.name)' with a prefix length of \($0.prefixLength) bits"
      }
      doubts.append(
        .conflicting(
          "according to its source code, the open engine "
            + (reading
              ?? "rejects '\(misread.name)', because the address of a range must have fewer than 14 characters (38 in "
              + "IPv6)")))
    }
    let length = entry?.domain.range?.prefixLength
    if length != nil,
      domains.filter({ $0.range?.prefixLength == length && $0.range?.contains(address) == true }).count > 1
    {
      doubts.append(.unknown("which of two ranges with equal prefix lengths applies; TrustLab uses the later one"))
    }
    return doubts
  }

  private func doubts(in entry: AppTransportSecurity.Entry) -> [Finding.Confidence] {
    var doubts: [Finding.Confidence] = []
    if entry.usesOldSpelling, profile.name != .ios17 {
      doubts.append(.likely("apps and forum posts use the old spellings, but documentation does not"))
    } else if entry.usesOldSpelling || entry.passesOverOldSpelling {
      doubts.append(.unknown("whether current systems still translate the old spellings"))
    }
    if entry.labelsBelow > 1, profile.name != .modern {
      doubts.append(
        .conflicting(
          "NSIncludesSubdomains covers one additional label in documentation, but any number in "
            + "Apple's source code"))
    }
    return doubts
  }

  private var globalDoubts: [Finding.Confidence] {
    let globals = configuration.globals
    var doubts: [Finding.Confidence] = []
    doubts += unlistedAddressDoubts + localNameDoubts + webContentDoubts
    if isLocal, globals.localNetworking == false, profile.localNames == .allowed {
      doubts.append(
        .conflicting(
          "NSAllowsLocalNetworking = NO removes the exception for local names in the open engine, but not "
            + "in documentation"))
    }
    if load.loader == .uiWebView, globals.webContent == true,
      Key.allowsArbitraryLoadsInWebContent.isKnown(to: profile.os)
    {
      doubts.append(.conflicting("documentation lists UIWebView, but the open engine checks for a WebKit process"))
    }
    if globals.mediaByEarlyName != nil, [.ios10, .ios17].contains(profile.name) {
      doubts.append(.likely("the open engine of iOS 18.4 does not read NSAllowsArbitraryLoadsInMedia"))
    }
    if load.isApplesOwn, globals.arbitraryLoads == nil {
      doubts.append(.likely("a system setting decides whether Apple's own apps are exempt"))
    }
    if [.ios10, .ios17].contains(profile.name), isBelowBuiltInDomain {
      doubts.append(
        .unknown("the first release that exempts Apple's own domains; iOS 18.4 and macOS 15.4 exempt them"))
    }
    return doubts
  }

  /// The doubts about addresses without an entry since iOS 17.
  private var unlistedAddressDoubts: [Finding.Confidence] {
    guard let address = load.url.address, load.isDirect == nil, ![.ios9, .ios10].contains(profile.name) else {
      return []
    }
    if profile.addresses == .allowed { return earlierSDKDoubts }
    if address.isPrivate || address.isDirect {
      guard depends(onDirectness: !load.hasDirectAddress) else { return [] }
      return [address.isPrivate ? privateAddressDoubt : Self.directAddress]
    }
    guard configuration.globals.localNetworking == true else { return [] }
    return [
      .conflicting(
        "the documentation of NSAllowsLocalNetworking says that the key allows addresses, but systems "
          + "were observed to block them")
    ]
  }

  private var privateAddressDoubt: Finding.Confidence {
    let page =
      configuration.globals.localNetworking == true
      ? "; the documentation of NSAllowsLocalNetworking says that the key allows addresses" : ""
    return .unknown(
      "whether systems treat private addresses as direct addresses; the release note of iOS 17 mentions only external "
        + "addresses"
        + page)
  }

  /// Returns whether the verdict depends on the address being direct.
  private func depends(onDirectness isDirect: Bool) -> Bool {
    var other = load
    other.isDirect = isDirect
    let deciding = AppTransportSecurity.Deciding(load: other, configuration: configuration, profile: profile)
    return (deciding.judgement.standing == .inForce) != (judgement.standing == .inForce)
  }

  /// The doubts about a local name over https. Reports from 2017 to 2020 contradict the documentation.
  private var localNameDoubts: [Finding.Confidence] {
    guard load.url.isSecure, load.hasLocalName, profile.name == .ios10, configuration.globals.localNetworking != true,
      judgement.standing != .inForce, configuration.globals.arbitraryLoads != true,
      !load.os.isAtLeast(iOS: (15, 0), macOS: (12, 0))
    else { return [] }
    return [
      .conflicting(
        "documentation exempts local names since iOS 10; in reports of iOS 11 to 13 (Alamofire 2402, 2462, 3091), "
          + "https://localhost fails with -9802 unless NSAllowsLocalNetworking is YES, whatever the delegate does")
    ]
  }

  /// The doubts about https in web content. A report contradicts the documentation.
  private var webContentDoubts: [Finding.Confidence] {
    guard load.url.isSecure, load.loader.isWebView, profile.name == .ios10,
      judgement.standing == .lifted(by: .key(.allowsArbitraryLoadsInWebContent)),
      !load.os.isAtLeast(iOS: (11, 0), macOS: (10, 13))
    else { return [] }
    return [
      .conflicting(
        "documentation exempts web content; in a report with a sample project (radar 29599080), a web view of iOS 10 "
          + "fails with a server without forward secrecy")
    ]
  }

  /// The doubts about an address that is allowed because the app's SDK is older than the system.
  private var earlierSDKDoubts: [Finding.Confidence] {
    let own = AppTransportSecurity.Profile(load.os)
    if let listed = configuration.entry(for: load.url, own), !listed.allowsInsecureHTTPLoads {
      return [.unknown("whether an entry for an address applies to an app linked with an earlier SDK")]
    }
    guard configuration.globals.localNetworking == false, profile.name == .modern else { return [] }
    return [
      .unknown("whether NSAllowsLocalNetworking = NO blocks addresses for an app linked with an earlier SDK")
    ]
  }

  private var isBelowBuiltInDomain: Bool {
    let host = load.url.host
    return AppTransportSecurity.builtInDomains.contains {
      host.hasSuffix($0.name) && (host == $0.name || host.hasSuffix(".\($0.name)"))
    }
  }

  /// The doubts about the rewriting of a URL's host before the decision.
  var spellingDoubts: [Finding.Confidence] {
    let url = load.url
    if url.looksLikeAnotherAddress {
      return [Self.otherSpelling(of: url.writtenHost)]
    }
    if url.address == nil, url.host.utf8.contains(UInt8(ascii: "%")) {
      return [.unknown("whether the system percent-decodes the host before the lookup")]
    }
    let hasCapitals = url.writtenHost != url.writtenHost.lowercased()
    guard url.address == nil, hasCapitals, dependsOnCase else { return [] }
    return [.unknown("whether the system converts the host to lower case before the lookup")]
  }

  private var dependsOnCase: Bool {
    let written = load.url.writtenHost
    if configuration.entry(forName: written, profile)?.domain.name != entry?.domain.name { return true }
    // Names without a dot are local in any case.
    let isDotted = written.utf8.contains(UInt8(ascii: ".")) && load.hasLocalName
    return entry == nil && isDotted && !written.hasSuffix(".local") && !written.hasSuffix(".local.")
      && profile.localNames != .ordinary
  }

  /// The doubts about values of undocumented types on systems whose code is closed.
  var closedDoubts: [Finding.Confidence] {
    var doubts: [Finding.Confidence] = []
    if restsOnOddValues {
      doubts.append(.likely("only the open engine (iOS 18.4) shows how systems read values of other types"))
    }
    if entry?.hasRivalSpellings == true {
      doubts.append(.unknown("which of two spellings of a key a system reads if their values differ"))
    }
    return doubts
  }

  /// The doubts about values of `NSExceptionMinimumTLSVersion` that the documentation does not list.
  var versionDoubts: [Finding.Confidence] {
    guard let entry, !entry.isBuiltIn else { return [] }
    let texts = (configuration.keys(of: entry.domain.name)?.entries ?? []).filter(isVersion).compactMap(\.value.string)
    if texts.contains(where: {
      $0.hasPrefix("DTLSv1.") && AppTransportSecurity.versions[$0] != nil
    }) {
      if profile.name == .documentation { return [.conflicting("only the open engine reads DTLS versions")] }
      return profile.isClosed
        ? [.unknown("how systems before iOS 18.4 read a DTLS version")]
        : [.likely("the open engine reads DTLS versions, but documentation does not list them")]
    }
    guard texts.contains("TLSv1.3"), profile.newestVersion < .tls13 else { return [] }
    return [.unknown("how systems without TLS 1.3 read the value TLSv1.3; TrustLab ignores it")]
  }

  /// Returns whether a key of an entry sets a version in a spelling that the system accepts.
  private func isVersion(_ key: PropertyList.Dictionary.Entry) -> Bool {
    guard case (.version, let spelling)? = Key.entryProperties[key.key] else { return false }
    return spelling == .plain || profile.honoursOldSpellings
  }

  /// Whether the decision depends on a value that should be a boolean, a version or a dictionary, but is not.
  private var restsOnOddValues: Bool {
    let exceptions = configuration.dictionary[.exceptionDomains]
    if exceptions != nil, exceptions?.dictionary == nil { return true }
    if configuration.oddEntries.contains(where: isNear) { return true }
    guard entry == nil else { return false }
    return Key.globals.contains { key in
      key.globalFlag != nil && key.isKnown(to: profile.os)
        && configuration.dictionary[key].map { !$0.isBoolean } ?? false
    }
  }

  /// Returns whether the entry called `name` applies to the load, or would apply if its values were interpreted
  /// differently.
  private func isNear(_ name: String) -> Bool {
    if name == entry?.domain.name { return true }
    let host = load.url.host
    return name == host || entry == nil && load.url.address == nil && host.hasSuffix(".\(name)")
  }
}

extension AppTransportSecurity.Configuration {
  /// Returns whether a value in an entry of `NSExceptionDomains` has the wrong type.
  ///
  /// It should be a boolean, a version or a dictionary.
  static func isOdd(_ entry: PropertyList) -> Bool {
    guard let keys = entry.dictionary else { return true }
    return keys.entries.contains { key in
      guard let (property, _) = AppTransportSecurity.Key.entryProperties[key.key],
        AppTransportSecurity.Key.named(key.key, at: .exceptionDomain)?.isOfClosedSystems == true
      else { return false }
      return !property.reads(key.value)
    }
  }
}

extension AppTransportSecurity.Key {
  /// Whether systems before iOS 18.4, whose code is closed, support the key.
  fileprivate var isOfClosedSystems: Bool { standing != .obsolete && isKnown(to: OSVersion(.iOS, 18, 3)) }
}

extension LoadURL {
  /// Whether other URL parsers interpret the host as another spelling of an IPv4 address.
  ///
  /// Browsers do so for `127.1`, `2130706433`, `0x7f.0.0.1` and `127.0.0.1.` (WHATWG URL section 3.5).
  package var looksLikeAnotherAddress: Bool { address == nil && Self.looksLikeAnotherAddress(host) }

  /// Returns whether other URL parsers interpret `host` as another spelling of an IPv4 address.
  package static func looksLikeAnotherAddress(_ host: String) -> Bool {
    let dot = UInt8(ascii: ".")
    let name = host.utf8.last == dot ? host.utf8.dropLast() : host.utf8[...]
    let last = name.lastIndex(of: dot).map { name[name.index(after: $0)...] } ?? name
    if last.starts(with: "0x".utf8) {
      return last.dropFirst(2).allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
    return !last.isEmpty && last.allSatisfy { (48...57).contains($0) }
  }
}

extension PropertyList {
  fileprivate var isBoolean: Bool { if case .boolean = self { true } else { false } }
}

extension [Finding.Confidence] {
  /// The least certain element, or the first of several. The result is certain if there are no elements.
  package var gravest: Finding.Confidence {
    reduce(.certain) { $1.gravity > $0.gravity ? $1 : $0 }
  }
}

extension Finding.Confidence {
  /// A number that grows with uncertainty.
  package var gravity: Int {
    switch self {
    case .certain: 0
    case .likely: 1
    case .conflicting: 2
    case .unknown: 3
    }
  }
}
