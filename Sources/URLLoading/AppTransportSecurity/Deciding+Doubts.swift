import Explanation
import Trust

extension AppTransportSecurity.Deciding {
  static let otherProtocols = Finding.Confidence.unknown("what becomes of loads that are not of HTTP")

  /// What the verdict rests on that no source settles, in order.
  func doubts(_ standing: AppTransportSecurity.Decision.Standing) -> [Finding.Confidence] {
    var doubts: [Finding.Confidence] = []
    if let doubt = profile.releaseDoubt { doubts.append(doubt) }
    if !load.url.isHTTP, standing.isApplied { doubts.append(Self.otherProtocols) }
    doubts += spellingDoubts
    if isLookedUp { doubts += lookupDoubts }
    if load.url.isSecure { doubts += versionDoubts }
    if profile.isClosed { doubts += closedDoubts }
    if profile.name == .documentation {
      if load.hasDirectAddress, entry == nil {
        doubts.append(
          .conflicting("documentation allows no address by default; the open engine takes 127.0.0.1 for a local name"))
      }
      return doubts
    }
    return doubts + (entry.map(doubts(in:)) ?? globalDoubts)
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
    if entry?.domain.range == nil, entry?.domain.name != load.url.host || load.url.writtenHost != load.url.host,
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
    if load.url.address?.isPrivate == true, load.isDirect == nil, profile.addresses == .listed {
      doubts.append(.likely("whether systems take private addresses for direct ones is not public"))
    }
    if isLocal, globals.localNetworking == false, profile.localNames == .allowed {
      doubts.append(
        .conflicting("NSAllowsLocalNetworking = NO denies local names in the open engine, not in documentation"))
    }
    if load.loader == .uiWebView, globals.webContent == true, profile.knowsNewerGlobals {
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

  private var isBelowBuiltInDomain: Bool {
    let host = load.url.host
    return AppTransportSecurity.builtInDomains.contains {
      host.hasSuffix($0.name)
        && (host == $0.name
          || host.hasSuffix(".\($0.name)"))
    }
  }
}

extension [Finding.Confidence] {
  /// The one of least confidence, the first of equals; certain when there is none.
  var gravest: Finding.Confidence {
    reduce(.certain) { $1.gravity > $0.gravity ? $1 : $0 }
  }
}

extension Finding.Confidence {
  fileprivate var gravity: Int {
    switch self {
    case .certain: 0
    case .likely: 1
    case .conflicting: 2
    case .unknown: 3
    }
  }
}
