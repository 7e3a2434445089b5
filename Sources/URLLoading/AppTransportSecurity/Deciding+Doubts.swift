import Explanation
import TLS
import Trust

extension AppTransportSecurity.Deciding {
  private typealias Key = AppTransportSecurity.Key

  static let otherProtocols = Finding.Confidence.unknown("what becomes of loads that are not of HTTP")

  package static let directAddress = Finding.Confidence.unknown(
    "whether 127.0.0.1 and its like need an entry: Apple's page says so, the release note does not")

  package static func otherSpelling(of host: String) -> Finding.Confidence {
    .unknown("whether '\(host)' is taken for a name or, rewritten, for an address")
  }

  /// What the verdict rests on that no source settles, in order.
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
          .conflicting("documentation allows no address by default; the open engine takes 127.0.0.1 for a local name"))
      }
      return doubts
    }
    return doubts + (entry.map(doubts(in:)) ?? globalDoubts)
  }

  /// What is not known for build settings that are not replaced yet.
  private var settingDoubts: [Finding.Confidence] {
    var names = entry?.domain.name == load.url.host ? [] : configuration.unexpandedDomains.exceptions
    if load.url.isSecure { names += configuration.unexpandedDomains.pins.filter { !names.contains($0) } }
    let values = entry.flatMap { configuration.keys(of: $0.domain.name)?.entries } ?? []
    let texts = values.compactMap(\.value.string).filter(BuildSettings.isUnexpanded)
    let pinned = load.url.isSecure ? unexpandedIdentities : []
    var doubts: [Finding.Confidence] = []
    if let name = names.first {
      doubts.append(.unknown("whether '\(name)', a build setting that is not replaced yet, is this host"))
    }
    if let text = (texts + pinned).first {
      doubts.append(.unknown("what '\(text)' says, a build setting that is not replaced yet"))
    }
    return doubts
  }

  /// What is not known of a key that is there more than once: which of them a system takes.
  private var repetitionDoubts: [Finding.Confidence] {
    if configuration.settingsAreRepeated, depends(onRepetition: configuration.otherSettings) {
      return [
        .unknown(
          "which '\(Key.appTransportSecurity.name)' a system takes where the key is there more than once; the last one is "
            + "read here, and another one decides otherwise")
      ]
    }
    let globals = configuration.repeatedKeys.globals.filter { entry == nil || $0 == Key.exceptionDomains.name }
    let own = entry.map { entry in
      configuration.repeatedKeys.domains.filter { $0 == entry.domain.name }
        + (configuration.keys(of: entry.domain.name)?.repeatedKeys ?? [])
    }
    return (globals + (own ?? [])).prefix(1).map {
      .unknown("which '\($0)' a system takes where the key is there more than once; the last one is read here")
    }
  }

  /// Whether one of the other dictionaries decides otherwise.
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

  /// What is not known of WebSockets: documentation speaks of URLSession, which has them since iOS 13 and macOS 10.15
  /// (URLSessionWebSocketTask), and what apps use besides stands on sockets.
  private var webSocketDoubt: Finding.Confidence {
    let isOfSystem = load.loader.isWebView || load.os.isAtLeast(iOS: (13, 0), macOS: (10, 15))
    return isOfSystem
      ? .likely("no source speaks of WebSockets: ws is taken for http and wss for https")
      : .unknown("what an app speaks WebSockets with before iOS 13 and macOS 10.15: sockets are not covered")
  }

  /// Whether entries are looked for at all.
  private var isLookedUp: Bool { !configuration.domains.isEmpty }

  /// What is not known of how hosts are put before the lookup.
  private var lookupDoubts: [Finding.Confidence] {
    let url = load.url
    if !url.writtenHost.utf8.allSatisfy({ $0 < 128 }) { return [.unknown("how internationalised names are looked up")] }
    guard let address = url.address, profile.addresses == .listed else { return [] }
    return addressDoubts(address)
  }

  private func addressDoubts(_ address: IPAddress) -> [Finding.Confidence] {
    var doubts: [Finding.Confidence] = []
    let domains = configuration.domains
    if entry?.domain.name != load.url.host || load.url.writtenHost != load.url.host,
      domains.contains(where: { $0.range == nil && $0.name != load.url.host && IPAddress($0.name) == address })
    {
      doubts.append(.unknown("whether another spelling of the address is looked up as this one"))
    }
    if let misread = domains.first(where: {
      ($0.range?.contains(address) == true) != ($0.rangeInCode?.contains(address) == true)
    }) {
      let reading = misread.rangeInCode.map { "takes '\(misread.name)' for a prefix of \($0.prefixLength) bits" }
      doubts.append(
        .conflicting(
          "by reading the open engine, it "
            + (reading
              ?? "rejects '\(misread.name)': addresses of 14 characters or more in a range (38 in IPv6) are too long")))
    }
    let length = entry?.domain.range?.prefixLength
    if length != nil,
      domains.filter({ $0.range?.prefixLength == length && $0.range?.contains(address) == true }).count > 1
    {
      doubts.append(.unknown("which of two ranges with prefixes of one length counts; it is taken to be the later"))
    }
    return doubts
  }

  private func doubts(in entry: AppTransportSecurity.Entry) -> [Finding.Confidence] {
    var doubts: [Finding.Confidence] = []
    if entry.usesOldSpelling, profile.name != .ios17 {
      doubts.append(.likely("the old spellings are known from apps and forums, not from documentation"))
    } else if entry.usesOldSpelling || entry.passesOverOldSpelling {
      doubts.append(.unknown("whether anything still translates the old spellings"))
    }
    if entry.labelsBelow > 1, profile.name != .modern {
      doubts.append(.conflicting("NSIncludesSubdomains covers one label in documentation, any number in Apple's code"))
    }
    return doubts
  }

  private var globalDoubts: [Finding.Confidence] {
    let globals = configuration.globals
    var doubts: [Finding.Confidence] = []
    doubts += unlistedAddressDoubts + localNameDoubts + webContentDoubts
    if isLocal, globals.localNetworking == false, profile.localNames == .allowed {
      doubts.append(
        .conflicting("NSAllowsLocalNetworking = NO denies local names in the open engine, not in documentation"))
    }
    if load.loader == .uiWebView, globals.webContent == true,
      Key.allowsArbitraryLoadsInWebContent.isKnown(to: profile.os)
    {
      doubts.append(.conflicting("documentation lists UIWebView, the open engine asks for a process of WebKit"))
    }
    if globals.mediaByEarlyName != nil, [.ios10, .ios17].contains(profile.name) {
      doubts.append(.likely("NSAllowsArbitraryLoadsInMedia is not read by the open engine of iOS 18.4"))
    }
    if load.isApplesOwn, globals.arbitraryLoads == nil {
      doubts.append(.likely("whether Apple's own apps are excepted depends on a setting of the system"))
    }
    if [.ios10, .ios17].contains(profile.name), isBelowBuiltInDomain {
      doubts.append(.unknown("since when systems except domains of Apple's own; known of iOS 18.4 and macOS 15.4"))
    }
    return doubts
  }

  /// What is not known of addresses without an entry since iOS 17.
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
    return [.conflicting("NSAllowsLocalNetworking opens addresses by its page; systems were seen to block them")]
  }

  private var privateAddressDoubt: Finding.Confidence {
    let page =
      configuration.globals.localNetworking == true
      ? "; Apple's page on NSAllowsLocalNetworking says that it allows addresses" : ""
    return .unknown(
      "whether systems take private addresses for direct ones; the release note of iOS 17 speaks of external addresses"
        + page)
  }

  /// Whether the load is allowed in another way if its address counts as direct, or does not.
  private func depends(onDirectness isDirect: Bool) -> Bool {
    var other = load
    other.isDirect = isDirect
    let deciding = AppTransportSecurity.Deciding(load: other, configuration: configuration, profile: profile)
    return (deciding.judgement.standing == .inForce) != (judgement.standing == .inForce)
  }

  /// What reports say against documentation about a local name over https: they are of 2017 to 2020.
  private var localNameDoubts: [Finding.Confidence] {
    guard load.url.isSecure, load.hasLocalName, profile.name == .ios10, configuration.globals.localNetworking != true,
      judgement.standing != .inForce, configuration.globals.arbitraryLoads != true,
      !load.os.isAtLeast(iOS: (15, 0), macOS: (12, 0))
    else { return [] }
    return [
      .conflicting(
        "documentation excepts local names since iOS 10; reports of iOS 11 to 13 (Alamofire 2402, 2462, 3091) have "
          + "https://localhost refused with -9802 until NSAllowsLocalNetworking is YES, whatever a delegate answers")
    ]
  }

  /// What a report says against documentation about https in web content.
  private var webContentDoubts: [Finding.Confidence] {
    guard load.url.isSecure, load.loader.isWebView, profile.name == .ios10,
      judgement.standing == .lifted(by: .key(.allowsArbitraryLoadsInWebContent)),
      !load.os.isAtLeast(iOS: (11, 0), macOS: (10, 13))
    else { return [] }
    return [
      .conflicting(
        "documentation excepts web content; a report with a project (radar 29599080) has a web view of iOS 10 fail "
          + "against a server without forward secrecy")
    ]
  }

  /// What is not known of an app whose SDK is older than the system, at an address that is open to it.
  private var earlierSDKDoubts: [Finding.Confidence] {
    let own = AppTransportSecurity.Profile(load.os)
    if let listed = configuration.entry(for: load.url, own), !listed.allowsInsecureHTTPLoads {
      return [.unknown("whether an entry for an address holds an app that is linked with an earlier SDK")]
    }
    guard configuration.globals.localNetworking == false, profile.name == .modern else { return [] }
    return [
      .unknown("whether NSAllowsLocalNetworking = NO closes addresses to an app that is linked with an earlier SDK")
    ]
  }

  private var isBelowBuiltInDomain: Bool {
    let host = load.url.host
    return AppTransportSecurity.builtInDomains.contains {
      host.hasSuffix($0.name) && (host == $0.name || host.hasSuffix(".\($0.name)"))
    }
  }

  /// What is not known of how the host of a URL is rewritten before anything is decided about it.
  var spellingDoubts: [Finding.Confidence] {
    let url = load.url
    if url.looksLikeAnotherAddress {
      return [Self.otherSpelling(of: url.writtenHost)]
    }
    if url.address == nil, url.host.utf8.contains(UInt8(ascii: "%")) {
      return [.unknown("whether the host's percent-encoding is undone first")]
    }
    let hasCapitals = url.writtenHost != url.writtenHost.lowercased()
    guard url.address == nil, hasCapitals, dependsOnCase else { return [] }
    return [.unknown("whether the host is put in lower case before the lookup")]
  }

  private var dependsOnCase: Bool {
    let written = load.url.writtenHost
    if configuration.entry(forName: written, profile)?.domain.name != entry?.domain.name { return true }
    // Names without a dot are local in any case.
    let isDotted = written.utf8.contains(UInt8(ascii: ".")) && load.hasLocalName
    return entry == nil && isDotted && !written.hasSuffix(".local") && !written.hasSuffix(".local.")
      && profile.localNames != .ordinary
  }

  /// What is not known of a closed system's reading of values that documentation does not name.
  var closedDoubts: [Finding.Confidence] {
    var doubts: [Finding.Confidence] = []
    if restsOnOddValues {
      doubts.append(.likely("how values of other types are read is known of the open engine alone, since iOS 18.4"))
    }
    if entry?.hasRivalSpellings == true {
      doubts.append(.unknown("which of two spellings of one key counts where their values differ"))
    }
    return doubts
  }

  /// What is not known of `NSExceptionMinimumTLSVersion`, for the values of it that documentation does not list.
  var versionDoubts: [Finding.Confidence] {
    guard let entry, !entry.isBuiltIn else { return [] }
    let texts = (configuration.keys(of: entry.domain.name)?.entries ?? []).filter(isVersion).compactMap(\.value.string)
    if texts.contains(where: {
      $0.hasPrefix("DTLSv1.") && AppTransportSecurity.versions[$0] != nil
    }) {
      if profile.name == .documentation { return [.conflicting("versions of DTLS are read by the open engine alone")] }
      return profile.isClosed
        ? [.unknown("what systems before iOS 18.4 make of a version of DTLS")]
        : [.likely("versions of DTLS are read by the open engine and not documented")]
    }
    guard texts.contains("TLSv1.3"), profile.newestVersion < .tls13 else { return [] }
    return [.unknown("what systems without TLS 1.3 make of TLSv1.3; it is taken to be ignored")]
  }

  /// Whether a key of an entry is one of a version, in a spelling that counts.
  private func isVersion(_ key: PropertyList.Dictionary.Entry) -> Bool {
    guard case (.version, let spelling)? = Key.entryProperties[key.key] else { return false }
    return spelling == .plain || profile.honoursOldSpellings
  }

  /// Whether a value that is no boolean, no version or no dictionary has a part in the decision.
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

  /// Whether the entry called `name` is the load's own, or could be if its values were read otherwise.
  private func isNear(_ name: String) -> Bool {
    if name == entry?.domain.name { return true }
    let host = load.url.host
    return name == host || entry == nil && load.url.address == nil && host.hasSuffix(".\(name)")
  }
}

extension AppTransportSecurity.Configuration {
  /// Whether an entry of `NSExceptionDomains` has a value that is no boolean and no version where one is read, or is no
  /// dictionary.
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
  /// Whether systems read the key whose code is closed: those before iOS 18.4.
  fileprivate var isOfClosedSystems: Bool { standing != .obsolete && isKnown(to: OSVersion(.iOS, 18, 3)) }
}

extension LoadURL {
  /// Whether other readers of URLs, such as browsers (WHATWG URL section 3.5), take the host for an address of IPv4 in
  /// another spelling: `127.1`, `2130706433`, `0x7f.0.0.1`, `127.0.0.1.`
  package var looksLikeAnotherAddress: Bool { address == nil && Self.looksLikeAnotherAddress(host) }

  /// The same of a host by itself.
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
  /// The one of least confidence, the first of equals; certain when there is none.
  package var gravest: Finding.Confidence {
    reduce(.certain) { $1.gravity > $0.gravity ? $1 : $0 }
  }
}

extension Finding.Confidence {
  /// The more, the less sure.
  package var gravity: Int {
    switch self {
    case .certain: 0
    case .likely: 1
    case .conflicting: 2
    case .unknown: 3
    }
  }
}
