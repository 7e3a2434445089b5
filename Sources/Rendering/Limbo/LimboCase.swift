import Explanation

/// One case of an x509-limbo file: a chain, what it is asked, and what should come out.
public struct LimboCase: Sendable {
  /// What comes out of a validation.
  public enum Outcome: String, Sendable, Hashable {
    case success = "SUCCESS"
    case failure = "FAILURE"
    case skipped = "SKIPPED"
  }

  /// A name that the leaf must have.
  struct PeerName: Sendable, Hashable {
    /// `DNS`, `IP`, `RFC822`.
    let kind: String
    let value: String
  }

  /// The case's name, `NAMESPACE::…::NAME`.
  public let id: String
  /// What should come out.
  public let expected: Outcome
  let features: [String]
  let kind: String
  /// Certificates and lists as PEM.
  let trusted: [String]
  let untrusted: [String]
  let leaf: String
  let lists: [String]
  /// When; nil is now.
  let time: Instant?
  let signatureAlgorithms: [String]
  let keyUsage: [String]
  let extendedKeyUsage: [String]
  let peerName: PeerName?
  let peerNames: [PeerName]
  let maximumDepth: Int?

  init(_ fields: LimboFields) throws(LimboFile.Invalid) {
    id = try fields.string("id")
    guard let expected = Outcome(rawValue: try fields.string("expected_result")), expected != .skipped else {
      throw fields.error("expected_result", "neither SUCCESS nor FAILURE")
    }
    self.expected = expected
    features = try fields.strings("features")
    kind = try fields.string("validation_kind")
    trusted = try fields.strings("trusted_certs")
    untrusted = try fields.strings("untrusted_intermediates")
    leaf = try fields.string("peer_certificate")
    lists = try fields.strings("crls")
    time = try LimboCase.time(fields)
    signatureAlgorithms = try fields.strings("signature_algorithms")
    keyUsage = try fields.strings("key_usage")
    extendedKeyUsage = try fields.strings("extended_key_usage")
    peerName = try fields.optionalObject("expected_peer_name").map(PeerName.init)
    peerNames = try LimboCase.names(fields)
    maximumDepth = try fields.optionalCount("max_chain_depth")
  }

  private static func names(_ fields: LimboFields) throws(LimboFile.Invalid) -> [PeerName] {
    var names: [PeerName] = []
    for name in try fields.objects("expected_peer_names") { names.append(try PeerName(name)) }
    return names
  }

  private static func time(_ fields: LimboFields) throws(LimboFile.Invalid) -> Instant? {
    guard let text = try fields.optionalString("validation_time") else { return nil }
    guard let time = Instant(dateTime: text) else { throw fields.error("validation_time", "not a date and time") }
    return time
  }

  /// What the id begins with: `rfc5280::nc` of `rfc5280::nc::permitted-dns-match`.
  public var namespace: String {
    let parts = id.split(separator: ":", omittingEmptySubsequences: true)
    return parts.count < 2 ? id : parts.dropLast().joined(separator: "::")
  }
}

extension LimboCase.PeerName {
  fileprivate init(_ fields: LimboFields) throws(LimboFile.Invalid) {
    kind = try fields.string("kind")
    value = try fields.string("value")
  }
}

extension Instant {
  /// A date and time as RFC 3339 section 5.6 writes it, with any offset; fractions of seconds are cut off.
  init?(dateTime text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: "t"),
      let local = Instant(
        String(decoding: bytes[..<10], as: UTF8.self) + "T"
          + String(decoding: bytes[11..<19], as: UTF8.self) + "Z")
    else { return nil }
    var rest = bytes[19...]
    if rest.first == UInt8(ascii: ".") {
      let digits = rest.dropFirst().prefix { (48...57).contains($0) }
      guard !digits.isEmpty else { return nil }
      rest = rest.dropFirst(1 + digits.count)
    }
    if rest.elementsEqual([UInt8(ascii: "Z")]) || rest.elementsEqual([UInt8(ascii: "z")]) {
      self = local
      return
    }
    let digits = rest.dropFirst().filter { (48...57).contains($0) }.map { Int64($0) - 48 }
    guard rest.count == 6, digits.count == 4, rest[rest.startIndex + 3] == UInt8(ascii: ":"),
      rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-")
    else { return nil }
    let seconds = (digits[0] * 10 + digits[1]) * 3600 + (digits[2] * 10 + digits[3]) * 60
    self = local.adding(seconds: rest.first == UInt8(ascii: "+") ? -seconds : seconds)
  }
}
