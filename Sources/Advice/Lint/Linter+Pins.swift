import Cryptography
import Explanation
import URLLoading

extension AppTransportSecurity.Linter {
  /// Checks the entries of `NSPinnedDomains`.
  mutating func checkPins(_ pins: PropertyList.Dictionary, at spot: Spot) {
    var written: [String: Spot] = [:]
    let domains = AppTransportSecurity.Configuration.pinnedDomains(below: pins)
    for entry in entries(of: pins, at: spot) {
      let place = spot.below(entry)
      guard let keys = entry.value.dictionary else {
        if let key = Key.named(entry.key).first {
          addMisplaced(entry, key, at: place)
        } else {
          addNotADictionary(
            entry, at: place, of: "\(Key.pinnedCAIdentities.name) or \(Key.pinnedLeafIdentities.name)",
            effect: "ignored: nothing is pinned for the domain")
        }
        continue
      }
      let isName = checkName(entry.key, at: place, isPinned: true)
      checkNumericName(entry.key, at: place)
      checkCase(entry.key, &written, at: place)
      // An entry that matches no host blocks no connection, whatever its identities are.
      let slip = AppTransportSecurity.DomainSlip(entry.key, isRange: false)
      if !isName, slip?.kind.matchesNoHost(isPinned: true) == true { continue }
      let company = PinningCompany(of: entry.key, among: domains)
      addUnion(entry.key, company, at: place)
      checkPinnedDomain(entry.key, keys, company, at: place)
    }
  }

  /// Reports that the pins of another domain also apply, in addition to the domain's own pins.
  private mutating func addUnion(_ name: String, _ company: PinningCompany, at spot: Spot) {
    // If a name has two spellings, only the later one is reported.
    guard let other = company.others.first(where: { $0.name.lowercased() != name.lowercased() }) else { return }
    add(
      .plistPinsUnited, .note, at: spot, "'\(name)' is a subdomain of '\(other.name)', whose pins also apply to it",
      found: name, effect: "the identities of both entries are combined: a key of either entry is accepted")
  }

  /// Reports a domain that occurs earlier with different case. `written` contains the locations of earlier domains.
  private mutating func checkCase(_ name: String, _ written: inout [String: Spot], at spot: Spot) {
    guard let earlier = written.updateValue(spot, forKey: name.lowercased()), let other = earlier.path.last else {
      return
    }
    add(
      .plistPinsUnited, .note, at: spot, "'\(name)' is the same domain as '\(other)'", found: name,
      effect: "the identities of both entries are combined: pins ignore case", related: [earlier])
  }

  private mutating func checkPinnedDomain(
    _ name: String, _ keys: PropertyList.Dictionary, _ company: PinningCompany, at spot: Spot
  ) {
    let hasIdentities = keys[.pinnedCAIdentities] != nil || keys[.pinnedLeafIdentities] != nil
    for entry in entries(of: keys, at: spot) {
      let place = spot.below(entry)
      let consequence = entry.value.array.map { _ in Consequence(effect: "ignored: it pins nothing") }
      guard let key = key(entry, of: keys, at: place, level: .pinnedDomain, consequence: consequence) else { continue }
      if key.valueType == .array {
        checkIdentities(entry, company, at: place)
      } else if checkType(entry, key, at: place), hasIdentities {
        checkSubdomains(entry, of: name, at: place)
      }
    }
    if hasIdentities { return }
    if let other = company.others.first {
      add(
        .plistPinsNoIdentities, .warning, at: spot, "'\(name)' has neither CA nor leaf identities",
        found: "no identities", effect: "adds nothing: the identities of '\(other.name)' apply to it")
      return
    }
    add(
      .plistPinsNoIdentities, .error, at: spot, "'\(name)' has neither CA nor leaf identities", found: "no identities",
      effect: "nothing is pinned: any trusted chain is accepted")
  }

  private mutating func checkSubdomains(_ entry: PropertyList.Dictionary.Entry, of name: String, at spot: Spot) {
    guard entry.value.isOn else { return }
    guard case .boolean = entry.value else {
      add(
        .plistPinsSubdomainsNumber, .warning, at: spot, "'\(entry.key)' of a pinned domain is \(entry.value.shown)",
        found: entry.value.shown, meant: "<true/>", effect: "probably ignored: subdomains are not pinned",
        confidence: .likely("Apple's source code accepts only the Boolean true, not a number"))
      return
    }
    if PublicSuffix.isSuffix(name), !isUnexpanded(name) {
      add(
        .plistWholeSuffix, .warning, at: spot, "'\(name)' with its subdomains covers a whole public suffix",
        found: name, effect: "the pins apply to every host directly below .\(name), from any owner")
    }
    add(
      .plistPinsOneLabel, .note, at: spot, "pins cover only subdomains with one additional label",
      found: entry.value.shown,
      effect: "'a.\(name)' is pinned, but 'b.a.\(name)' is not (exceptions also cover deeper subdomains)",
      confidence: .conflicting(
        "older Apple pages include all subdomains; source code and current pages include one "
          + "label"))
  }

  private mutating func checkIdentities(
    _ entry: PropertyList.Dictionary.Entry, _ company: PinningCompany, at spot: Spot
  ) {
    let nothing = company.consequence(ofNothingUnder: entry.key)
    let severity: AppTransportSecurity.LintFinding.Severity = company.keys(under: entry.key).isEmpty ? .error : .warning
    guard let items = entry.value.array else {
      add(
        .plistPinsMalformed, .error, at: spot, "'\(entry.key)' takes an <array>, but its value is \(entry.value.shown)",
        found: entry.value.shown, effect: nothing.effect, confidence: nothing.confidence)
      return
    }
    guard !items.isEmpty else {
      add(
        .plistPinsEmptyList, severity, at: spot, "'\(entry.key)' is empty", found: entry.value.shown,
        effect: nothing.effect, confidence: nothing.confidence)
      return
    }
    let isUsable = items.contains { Self.hash(of: $0) != nil || isUnexpanded(Self.text(of: $0)) }
    let ignored =
      isUsable
      ? Consequence(effect: "the item is ignored")
      : Consequence(effect: "the item is ignored; \(nothing.effect)", confidence: nothing.confidence)
    var seen: Set<[UInt8]> = []
    for (index, item) in items.enumerated() {
      let place = spot.item(index)
      if isUnexpanded(Self.text(of: item)) {
        addUnexpanded(Self.text(of: item), at: place)
        continue
      }
      guard let hash = Self.hash(of: item) else {
        reportNoHash(item, at: place, ignored)
        continue
      }
      reportUnknowns(in: item, at: place)
      if !seen.insert(hash).inserted {
        add(
          .plistPinsDuplicate, .note, at: place, "item \(index) of '\(entry.key)' is a duplicate",
          found: item.shown, effect: "none: each key is needed only once")
      }
      if Self.isPlaceholder(Self.text(of: item)) {
        add(
          .plistPinsPlaceholder, .error, at: place, "item \(index) of '\(entry.key)' is a placeholder, not a hash",
          found: Self.text(of: item), effect: "no key has this hash: it pins nothing, and is not a backup")
        seen.remove(hash)
      }
    }
    // A key that is listed twice, or next to a placeholder, counts once. Keys of other entries are backups too.
    if seen.union(company.keys(under: entry.key)).count == 1, seen.count == 1,
      items.allSatisfy({ Self.hash(of: $0) != nil })
    {
      addSingle(entry, at: spot)
    }
  }

  /// Reports that there is only a single key. A change of that key blocks the app.
  private mutating func addSingle(_ entry: PropertyList.Dictionary.Entry, at spot: Spot) {
    let isLeaf = entry.is(.pinnedLeafIdentities)
    add(
      .plistPinsSingle, isLeaf ? .warning : .note, at: spot, "'\(entry.key)' has one key and no backup",
      found: "1 identity",
      effect: isLeaf
        ? "when the server's key changes, every installed copy of the app is blocked until it is updated"
        : "when the server's certificate comes from another CA, every installed copy of the app is blocked")
  }

  /// Returns the hash of an item as written; empty if the item has none.
  private static func text(of item: PropertyList) -> String { item.dictionary?[.pinnedHash]?.string ?? "" }

  /// The SHA-256 hash of empty input (FIPS 180-4), which a pipeline computes if its first command failed.
  private static let hashOfNothing = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

  /// Returns whether the hash is that of empty input, or one repeated character such as `AAAA…=` or `BBBB…=`.
  ///
  /// The last character differs from the others, because it has unused bits.
  private static func isPlaceholder(_ text: String) -> Bool {
    if text == hashOfNothing { return true }
    let digits = text.filter { $0 != "=" }.dropLast()
    return digits.count > 40 && Set(digits).count == 1
  }

  /// Returns the hash in an item; nil if there is no valid one.
  private static func hash(of item: PropertyList) -> [UInt8]? {
    let text = item.dictionary?[.pinnedHash]?.string
    return text.flatMap { Base64Text.bytes($0.utf8) }.flatMap { $0.count == 32 ? $0 : nil }
  }

  private mutating func reportNoHash(_ item: PropertyList, at spot: Spot, _ ignored: Consequence) {
    let (effect, confidence) = (ignored.effect, ignored.confidence)
    guard let keys = item.dictionary else {
      add(
        .plistPinsMalformed, .error, at: spot, "an identity is a <dict>, but this item is \(item.shown)",
        found: item.shown,
        effect: effect, confidence: confidence)
      return
    }
    let before = findings.count
    reportUnknowns(
      in: item, at: spot,
      consequence: Consequence(effect: "an identity without \(Key.pinnedHash.name): \(effect)", confidence: confidence))
    if findings[before...].contains(where: { $0.meant == Key.pinnedHash.name }), keys[.pinnedHash] == nil { return }
    let entry = keys.last(.pinnedHash)
    let place = entry.map(spot.below) ?? spot
    guard let value = entry?.value else {
      add(
        .plistPinsMalformed, .error, at: place, "an identity has no \(Key.pinnedHash.name)", found: item.shown,
        effect: effect, confidence: confidence)
      return
    }
    add(
      .plistPinsNotAHash, .error, at: place, "the hash is not 32 bytes in Base64, but \(Self.size(value))",
      found: value.shown,
      meant: Self.hash(meantBy: value), effect: effect, confidence: confidence)
  }

  /// Reports keys of an item that no system supports.
  private mutating func reportUnknowns(in item: PropertyList, at spot: Spot, consequence: Consequence? = nil) {
    let keys = item.dictionary ?? .init()
    for entry in entries(of: keys, at: spot) {
      _ = key(entry, of: keys, at: spot.below(entry), level: .pinnedIdentity, consequence: consequence)
    }
  }

  private static func size(_ value: PropertyList) -> String {
    let bytes = value.string.flatMap { Base64Text.bytes($0.utf8) }
    if value.string.flatMap(hash(inHexadecimal:)) != nil { return "32 bytes in hexadecimal" }
    return bytes.map { "\($0.count) bytes" } ?? value.shown
  }

  /// Returns the Base64 text for a hash of 32 bytes in hexadecimal, with or without colons.
  private static func hash(inHexadecimal text: String) -> String? {
    guard let bytes = Hex.bytes(text.filter { $0 != ":" }), bytes.count == 32 else { return nil }
    return Base64.encode(bytes)
  }

  /// Returns the intended hash, from hexadecimal text, or without white space and the prefix that other tools add.
  private static func hash(meantBy value: PropertyList) -> String? {
    switch value {
    case .string(let text):
      if let hash = hash(inHexadecimal: text) { return hash }
      let rest = text.filter { !$0.isWhitespace }.replacing("sha256/", with: "", maxReplacements: 1)
      return Base64Text.bytes(rest.utf8)?.count == 32 && rest != text ? rest : nil
    default: return nil
    }
  }
}

/// The other entries of `NSPinnedDomains` whose identities also apply to a domain.
private struct PinningCompany {
  let others: [AppTransportSecurity.PinnedDomain]

  init(of name: String, among domains: [AppTransportSecurity.PinnedDomain]) {
    others = domains.filter { $0.name != name && !$0.identities.areEmpty && $0.matches(name.lowercased()) }
  }

  /// Returns the identities under `key` in the other entries.
  func keys(under key: String) -> [[UInt8]] {
    let isLeaf = key == AppTransportSecurity.Key.pinnedLeafIdentities.name
    return others.flatMap { (isLeaf ? $0.identities.leaf : $0.identities.authorities) ?? [] }
  }

  /// Returns the consequence if the domain's own list under `key` contains no usable identity.
  func consequence(ofNothingUnder key: String) -> (effect: String, confidence: Finding.Confidence) {
    if !keys(under: key).isEmpty, let other = others.first {
      return ("adds nothing: the identities of '\(other.name)' apply to the domain", .certain)
    }
    return (
      "no key matches an empty list: every connection to the domain is blocked",
      .likely("Apple's tests cover the empty list, but not the refusal of connections")
    )
  }
}
