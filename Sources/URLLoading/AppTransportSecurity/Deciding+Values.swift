import Explanation
import TLS

extension AppTransportSecurity.Deciding {
  private typealias Key = AppTransportSecurity.Key
  private typealias Spelling = AppTransportSecurity.ExceptionDomain.Spelling

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
    let texts = Spelling.allCases.filter { $0 == .plain || profile.honoursOldSpellings }.compactMap {
      keys(of: entry.domain.name)?[$0.minimumVersionKey]?.string
    }
    if texts.contains(where: {
      $0.hasPrefix("DTLSv1.") && AppTransportSecurity.ExceptionDomain.Values.versions[$0] != nil
    }) {
      if profile.name == .documentation { return [.conflicting("versions of DTLS are read by the open engine alone")] }
      return profile.isClosed
        ? [.unknown("what systems before iOS 18.4 make of a version of DTLS")]
        : [.likely("versions of DTLS are read by the open engine and not documented")]
    }
    guard texts.contains("TLSv1.3"), profile.newestVersion < .tls13 else { return [] }
    return [.unknown("what systems without TLS 1.3 make of TLSv1.3; it is taken to be ignored")]
  }

  /// Whether a value that is no boolean, no version or no dictionary has a part in the decision.
  private var restsOnOddValues: Bool {
    let exceptions = configuration.dictionary[Key.exceptionDomains]
    if exceptions != nil, exceptions?.dictionary == nil { return true }
    let mayCount = (exceptions?.dictionary?.entries ?? []).filter { isNear($0.key) }
    if mayCount.contains(where: { Self.isOdd($0.value) }) { return true }
    guard entry == nil else { return false }
    let keys = [Key.allowsArbitraryLoads] + (profile.knowsNewerGlobals ? Self.newerGlobals : [])
    return keys.contains { configuration.dictionary[$0].map { !$0.isBoolean } ?? false }
  }

  private static let newerGlobals = [
    Key.allowsArbitraryLoadsForMedia, Key.allowsArbitraryLoadsInWebContent, Key.allowsLocalNetworking,
  ]

  /// Whether the entry called `name` is the load's own, or could be if its values were read otherwise.
  private func isNear(_ name: String) -> Bool {
    if name == entry?.domain.name { return true }
    let host = load.url.host
    return name == host || entry == nil && load.url.address == nil && host.hasSuffix(".\(name)")
  }

  private static func isOdd(_ entry: PropertyList) -> Bool {
    guard let keys = entry.dictionary else { return true }
    return keys.entries.contains { key in
      if flags.contains(key.key) { return !key.value.isBoolean }
      guard Spelling.allCases.contains(where: { $0.minimumVersionKey == key.key }) else { return false }
      return key.value.string.flatMap { AppTransportSecurity.ExceptionDomain.Values.versions[$0] } == nil
    }
  }

  private static let flags = Set(
    [Key.includesSubdomains] + Spelling.allCases.flatMap { [$0.insecureLoadsKey, $0.forwardSecrecyKey] })

  private func keys(of domain: String) -> PropertyList.Dictionary? {
    configuration.dictionary[Key.exceptionDomains]?.dictionary?[domain]?.dictionary
  }
}

extension PropertyList {
  fileprivate var isBoolean: Bool { if case .boolean = self { true } else { false } }
}
