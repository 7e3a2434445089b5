import Explanation
import PKIX

/// Checks that a certificate is valid for the requested host, as on Apple's systems (RFC 9525, formerly RFC 6125).
///
/// Since iOS 13 and macOS 10.15, only subjectAltName is compared. Earlier systems also compare the common name if there
/// is no dNSName. Apple's systems do not accept a wildcard label before a public suffix, such as `*.co.uk`. This check
/// requires a list of public suffixes.
public struct ServerIdentity: Sendable {
  /// The result of comparing a certificate's name with the host.
  enum Match: Sendable, Hashable {
    case none, matches, wildcardDepth, wildcardForm
    /// The wildcard label precedes only one label. RFC 9525 leaves the decision to the client.
    case wildcardHeight
  }

  /// The rules that are checked only on Apple's operating systems.
  static let rulesOfApple: Set<Rule> = [.addressAsText]

  private let host: RequestedHost
  private let subject: Finding.Subject
  private let usesCommonName: Bool
  /// Whether a dNSName may contain an IPv4 address as text, as before iOS 13 and macOS 10.15.
  private let comparesAddressText: Bool
  private let labelsAfterWildcard: Int
  private let suffixes: PublicSuffixes
  private let enforcement: Enforcement
  private let decisions: PathDecisions

  /// Creates a comparison with `host`.
  ///
  /// `os` determines whether common names are compared; if it is nil, they are not. `labelsAfterWildcard` is the
  /// minimum number of labels after a wildcard label. RFC 9525 section 6.3 has no minimum; in the Baseline
  /// Requirements, it is two.
  public init(
    _ host: String, os: OSVersion?, suffixes: PublicSuffixes = .notAsked, labelsAfterWildcard: Int = 2,
    enforcement: Enforcement = .standard
  ) {
    self.labelsAfterWildcard = labelsAfterWildcard
    self.suffixes = os == nil ? .notAsked : suffixes
    self.host = RequestedHost(host)
    subject = .host(host)
    usesCommonName = os.map { !$0.isAtLeast(iOS: (13, 0), macOS: (10, 15)) } ?? false
    comparesAddressText = usesCommonName
    self.enforcement = enforcement
    decisions = enforcement.decisions()
  }

  /// Returns the findings on the names of `leaf`.
  public func findings(on leaf: Certificate) -> [Finding] {
    // Undecodable names violate `chain.malformed`: whether the host is among them is unknown.
    if leaf.hasUndecodable(SubjectAlternativeName.oid) {
      return [Rule.noAlternativeName, .wildcardForm, .wildcardDepth, .nameMismatch].map {
        enforcement.note($0, on: subject, .notEvaluated)
      }
    }
    let names = leaf.subjectAlternativeName
    let presented = presentedNames(leaf)
    let stars = publicSuffixWildcards(presented)
    let matches = presented.map { stars.known.contains($0) ? .wildcardHeight : match($0) }
    let isMatched =
      matches.contains(.matches) || addressMatches(names?.ipAddresses ?? [])
    let isOnlyDoubtful =
      !stars.unknown.isEmpty
      && !presented.contains { match($0) == .matches && !stars.unknown.contains($0) && !stars.known.contains($0) }
      && !addressMatches(names?.ipAddresses ?? [])
    let hasNames = names.map { !$0.dnsNames.isEmpty || !$0.ipAddresses.isEmpty } ?? false
    let quoted = presented.map { shown($0, leaf) }
    return addressAsText(isMatched, names) + [
      alternativeName(hasNames: hasNames, names),
      isOnlyDoubtful
        ? doubt(stars.unknown)
        : check(
          matches.contains(.wildcardForm) ? wildcardForm : ServerIdentity.wildcardHeight,
          isMatched || !matches.contains(.wildcardForm) && !matches.contains(.wildcardHeight), quoted),
      check(.wildcardDepth, isMatched || !matches.contains(.wildcardDepth), quoted),
      mismatch(isMatched, decided: isMatched ? nil : isLetPass(presented), leaf, quoted),
    ]
  }

  /// Returns whether one of these certificates has the host's name.
  func names(oneOf certificates: some Sequence<Certificate>) -> Bool {
    certificates.contains { findings(on: $0).contains { $0.rule == .nameMismatch && $0.outcome == .satisfied } }
  }

  /// Returns the finding on the comparison of names.
  ///
  /// If no name matches, the finding lists all names, and the defect of a name that almost matches.
  private func mismatch(_ isMatched: Bool, decided: Bool?, _ leaf: Certificate, _ presented: [String]) -> Finding {
    let names = leaf.subjectAlternativeName?.names ?? []
    guard !isMatched else {
      let addresses = leaf.subjectAlternativeName?.ipAddresses ?? []
      return check(.nameMismatch, true, presented + addresses.map { ServerIdentity.quoted(.ipAddress($0)) })
    }
    let isFromCommonName = usesCommonName && leaf.subjectAlternativeName?.dnsNames.isEmpty ?? true
    let fix = NearMiss(host, names, commonName: leaf.commonName)?.fix
    return check(
      fix.map { Rule.nameMismatch.fixed(by: $0) } ?? .nameMismatch, false, decided: decided,
      (isFromCommonName ? presented : []) + names.map(ServerIdentity.quoted))
  }

  /// Returns a compared name in quotation marks, with its kind.
  private func shown(_ presented: String, _ leaf: Certificate) -> String {
    let isDNSName = leaf.subjectAlternativeName?.dnsNames.contains(presented) ?? false
    return isDNSName ? GeneralName.dnsName(presented).quoted : "common name \(ShownText.quoted(presented))"
  }

  /// Returns the names that match only by a wildcard label before a public suffix, or before a possible one.
  private func publicSuffixWildcards(_ presented: [String]) -> (known: Set<String>, unknown: Set<String>) {
    if suffixes == .notAsked { return ([], []) }
    var stars: (known: Set<String>, unknown: Set<String>) = ([], [])
    for name in presented where name.hasPrefix("*.") && match(name) == .matches {
      switch suffixes.contains(name.dropFirst(2).lowercased()) {
      case true?: stars.known.insert(name)
      // Without a list, only a wildcard of three labels is uncertain: its two-label suffix may be public, such as
      // co.uk.
      case nil where name.split(separator: ".").count == 3: stars.unknown.insert(name)
      default: break
      }
    }
    return stars
  }

  private func doubt(_ names: Set<String>) -> Finding {
    enforcement.note(
      .wildcardForm, on: subject, .unknown, required: .word(subject.description), found: .words(names.sorted()),
      confidence: .unknown(
        "whether the wildcard label is before a public suffix: TrustLab has no list of public suffixes here"))
  }

  /// Returns whether a replaced decision accepts one of the names for the host.
  private func isLetPass(_ presented: [String]) -> Bool? {
    guard let comparedName = decisions.comparedName else { return nil }
    return presented.contains { match(comparedName($0)) == .matches } ? true : nil
  }

  /// Returns the names of `leaf` that match the host, as written in the certificate. Addresses are excluded.
  public func matchingNames(on leaf: Certificate) -> [String] {
    presentedNames(leaf).filter { match($0) == .matches }
  }

  /// Checks for an address in a dNSName. Apple's systems accept it, because they compare dNSNames first, whatever the
  /// host is.
  private func addressAsText(_ isMatched: Bool, _ names: SubjectAlternativeName?) -> [Finding] {
    guard case .address = host, isMatched, comparesAddressText else { return [] }
    let addresses = names?.ipAddresses ?? []
    return [check(.addressAsText, addressMatches(addresses), (names?.names ?? []).map(ServerIdentity.quoted))]
  }

  private func alternativeName(hasNames: Bool, _ names: SubjectAlternativeName?) -> Finding {
    guard !usesCommonName || hasNames else {
      return enforcement.note(.noAlternativeName, on: subject, .notApplicable)
    }
    guard !hasNames, let names else {
      return enforcement.check(.noAlternativeName, on: subject, hasNames, found: hasNames ? .none : .absent)
    }
    // The extension is present, but contains only names of other kinds.
    return enforcement.check(
      ServerIdentity.otherNames, on: subject, false, required: .anyOf(["dNSName", "iPAddress"]),
      found: .words(names.names.map(ServerIdentity.quoted)))
  }

  private static let otherNames = Rule.noAlternativeName.fixed(
    by: "Have the certificate issued with the host as a dNSName in subjectAltName, or with the address as an iPAddress."
  )

  /// Returns a name with its kind. An address is in the form of RFC 5952, so that it is easy to compare with the host.
  private static func quoted(_ name: GeneralName) -> String {
    if case .ipAddress(let bytes) = name { "iPAddress \(AddressText.canonical(bytes))" } else { name.quoted }
  }

  private func check(_ rule: Rule, _ holds: Bool, decided: Bool? = nil, _ presented: [String]) -> Finding {
    enforcement.check(
      rule, on: subject, holds, decided: decided, required: .word(wanted), found: .words(presented))
  }

  /// A description of the host. For an address, it includes the required kind of name.
  private var wanted: String {
    if case .address(let bytes, _) = host { ServerIdentity.quoted(.ipAddress(bytes)) } else { subject.description }
  }

  /// Returns the names to compare, as written in the certificate.
  private func presentedNames(_ leaf: Certificate) -> [String] {
    let names = leaf.subjectAlternativeName?.dnsNames ?? []
    guard names.isEmpty, usesCommonName, let commonName = leaf.commonName else { return names }
    return [commonName]
  }

  private func addressMatches(_ addresses: [[UInt8]]) -> Bool {
    if case .address(let bytes, _) = host { addresses.contains(bytes) } else { false }
  }

  private func match(_ presented: String) -> Match {
    switch host {
    case .invalid: .none
    case .address(let bytes, let text):
      comparesAddressText && bytes.count == 4 && presented == text ? .matches : .none
    case .name(let name):
      ServerIdentity.match(presented.lowercased(), name, labelsAfterWildcard: labelsAfterWildcard)
    }
  }

  /// The rule on the minimum number of labels after a wildcard label. RFC 9525 section 6.3 has no minimum.
  ///
  /// CAs must not issue certificates for all names of a registry, and a single label always belongs to a registry.
  private static let wildcardHeight = Rule.wildcardForm.citing(.baselineRequirements("3.2.2.6")).fixed(
    by: "Have the certificate issued for the host itself. A wildcard label must not be the whole name, or directly "
      + "before a public suffix, such as a single label.")

  /// The rule on the form of a wildcard. Its fix recommends a wildcard only if one can match the host.
  private var wildcardForm: Rule {
    guard case .name(let name) = host else { return .wildcardForm }
    let parent = name.drop { $0 != "." }.dropFirst()
    let labels = parent.split(separator: ".").count
    return labels < labelsAfterWildcard || suffixes.contains(String(parent)) == true
      ? ServerIdentity.hostAlone : .wildcardForm
  }

  private static let hostAlone = Rule.wildcardForm.fixed(
    by: "Have the certificate issued for the host itself: a wildcard label would be directly before a public suffix.")

  /// Compares `presented` with `name`, both in lower case.
  static func match(_ presented: String, _ name: String, labelsAfterWildcard: Int = 2) -> Match {
    guard presented.utf8.contains(UInt8(ascii: "*")) else { return presented == name ? .matches : .none }
    let labels = presented.split(separator: ".", omittingEmptySubsequences: false)
    let wanted = name.split(separator: ".", omittingEmptySubsequences: false)
    let rest = labels.dropFirst()
    guard labels.first == "*", rest.count >= max(1, labelsAfterWildcard), !rest.joined().contains("*") else {
      let isMeant = labels.count == wanted.count && zip(labels, wanted).allSatisfy { $0.contains("*") || $0 == $1 }
      let isWhole = labels.first == "*" && !rest.joined().contains("*")
      return isMeant ? (isWhole ? .wildcardHeight : .wildcardForm) : .none
    }
    if rest.elementsEqual(wanted.dropFirst()) { return .matches }
    return rest.elementsEqual(wanted.suffix(rest.count)) ? .wildcardDepth : .none
  }
}

/// Checks that a certificate is valid for a mailbox (RFC 8550 section 3). Only rfc822Name entries of subjectAltName are
/// compared.
///
/// The comparison ignores the case of the host, but not of the part before it (RFC 5280 section 7.5).
public struct MailIdentity: Sendable {
  private let mailbox: String
  private let enforcement: Enforcement

  /// Creates a comparison with `mailbox`.
  public init(_ mailbox: String, enforcement: Enforcement = .standard) {
    self.mailbox = mailbox
    self.enforcement = enforcement
  }

  /// Returns the finding on whether `leaf` has a name for the mailbox.
  public func finding(on leaf: Certificate) -> Finding {
    let names = (leaf.subjectAlternativeName?.names ?? []).compactMap { name in
      if case .rfc822Name(let text) = name { text } else { nil }
    }
    let holds = names.contains { MailIdentity.canonical($0) == MailIdentity.canonical(mailbox) }
    return enforcement.check(
      .nameMismatch, on: .host(mailbox), holds, required: .word(mailbox), found: .words(names))
  }

  private static func canonical(_ text: String) -> String {
    guard let sign = text.lastIndex(of: "@") else { return text }
    return text[..<sign] + text[sign...].lowercased()
  }
}
