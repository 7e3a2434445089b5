import Trust
import URLLoading

extension AppTransportSecurity {
  /// The hosts used to compare two property lists.
  ///
  /// For each entry, there is a host to which it applies, and to which no other entry of either list would apply
  /// instead. An entry without such a host has no separate effect.
  struct ComparedHosts {
    /// A host for which neither list has an entry.
    let other: String
    /// The hosts in the order of their loads. IPv6 addresses are in brackets.
    private(set) var names: [String] = []

    /// - Parameters:
    ///   - old: the old list.
    ///   - new: the new list.
    ///   - areAllChanged: whether the effect of unchanged entries may also change.
    init(_ old: Configuration, _ new: Configuration, areAllChanged: Bool) {
      let lists = [old, new]
      let listed = Set(lists.flatMap { $0.domains.map(\.name) + $0.pinnedDomains.map { $0.name.lowercased() } })
      let isListed = { (name: String) in listed.contains(name) || builtInDomains.contains { $0.name == name } }
      let top = Self.firstFree(["example", "test", "invalid"], "other") { label in
        !isListed(label) && !isListed("any-other-host.\(label)")
      }
      other = "any-other-host.\(top)"
      let local = Self.firstFree(["printer.local", "printer", "scanner"], "printer") { name in
        !isListed(name) && !(name.hasSuffix(".local") && isListed("local"))
      }
      let cells = AddressCells(old, new, areAllChanged: areAllChanged)
      names = [other, local] + (cells.unlisted.map { [Self.inURL($0.description)] } ?? [])
      let pins = lists.map { Dictionary(grouping: $0.pinnedDomains) { $0.name.lowercased() } }
      for name in listed.sorted() where !name.utf8.contains(UInt8(ascii: "/")) {
        let pinned = pins.map { $0[name] ?? [] }
        let isSame = old.domain(named: name) == new.domain(named: name) && pinned[0] == pinned[1]
        if isSame, !areAllChanged { continue }
        if let address = IPAddress(name) {
          // A host in an unusual spelling is a separate entry.
          if address.description != name { names.append(Self.inURL(name)) }
          continue
        }
        // An entry that matches no host changes no load; the lint reports it.
        if DomainSlip(name, isRange: false)?.kind.matchesNoHost(isPinned: false) == true { continue }
        // Hosts are converted to lower case before the lookup.
        let host = name.lowercased()
        names.append(host)
        let isPinnedBelow = pinned.contains { $0.contains(where: \.includesSubdomains) }
        let isWide =
          lists.contains { $0.domain(named: name)?.includesSubdomains == true }
          || builtInDomains.contains { $0.name == name }
        guard isWide || isPinnedBelow else { continue }
        let below = Self.firstFree(["www", "api", "cdn"], "host") { !isListed("\($0).\(host)") }
        names.append("\(below).\(host)")
        // Pins cover one more label; exceptions cover any number.
        if isWide, isPinnedBelow { names.append("a.\(below).\(host)") }
      }
      names += cells.changed.map { Self.inURL($0.description) }
    }

    /// Returns the first unused name of `usual`, or else a name with a number.
    private static func firstFree(_ usual: [String], _ stem: String, _ isFree: (String) -> Bool) -> String {
      if let name = usual.first(where: isFree) { return name }
      var number = 1
      while !isFree("\(stem)\(number)") { number += 1 }
      return "\(stem)\(number)"
    }

    private static func inURL(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }
  }
}
