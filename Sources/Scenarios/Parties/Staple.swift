import Cryptography
import Explanation
import PKIX

/// The OCSP response that a server staples, as a scenario describes it (RFC 6066 section 8, RFC 6960).
public struct StapleDescription: Sendable, Hashable {
  /// The certificate status in the response.
  public enum Statement: String, Sendable, Hashable, CaseIterable {
    /// The CA's status at the time of signing: revoked if the CA had revoked the certificate, otherwise good.
    case current
    /// The status good, even if the CA has revoked the certificate, which makes the response false.
    case good
    case revoked
    /// The status unknown: the responder does not know the certificate.
    case unknown
    /// An unsigned error instead of a response.
    case tryLater = "try-later"
  }

  /// The certificate status in the response.
  public internal(set) var says = Statement.current
  /// The age of the signature at the time of the connection, in seconds.
  public internal(set) var age: Int64 = 86_400
  /// The number of seconds from thisUpdate to nextUpdate; 0 omits nextUpdate.
  public internal(set) var lifetime: Int64 = 7 * 86_400
  /// The certificate whose key signs the response; nil for the issuer of the checked certificate.
  public internal(set) var signer: String?
  /// The certificate whose status the response contains; nil for the server's own certificate.
  public internal(set) var about: String?
  /// Whether one bit of the response's signature is flipped.
  public internal(set) var isBroken = false

  /// The short forms: one keyword in place of the whole map.
  static let short: [(name: String, staple: StapleDescription)] =
    Statement.allCases.map { statement in
      var staple = StapleDescription()
      staple.says = statement
      return (statement.rawValue, staple)
    } + [
      ("stale", StapleDescription(age: 14 * 86_400)),
      ("forged", StapleDescription(says: .good, isBroken: true)),
    ]

  init(says: Statement = .current, age: Int64 = 86_400, isBroken: Bool = false) {
    self.says = says
    self.age = age
    self.isBroken = isBroken
  }

  static let section = Section<StapleDescription>(
    "staple", "The OCSP response that a server staples (RFC 6066 section 8, RFC 6960).",
    [
      .term(
        "says", .choice(called: "status"),
        "the certificate status in the response; default: the CA's status at that time (current)", into: \.says),
      .term("age", .duration, "the age of the response at the time of the connection; default: 1 day", into: \.age),
      .term(
        "lifetime", .duration, "the time from thisUpdate to nextUpdate; 0 days omits nextUpdate; default: 7 days",
        into: \.lifetime),
      .term(
        "signer", .text, "the certificate whose key signs the response; default: the issuer of the certificate",
        into: \.signer),
      .term(
        "about", .text, "the certificate that the response is about; default: the server's own certificate",
        into: \.about),
      .term("broken", .flag, "whether a bit of the response's signature is flipped; default: false", into: \.isBroken),
    ])

  /// The names of the certificates that the response uses.
  var names: [String] { [signer, about].compactMap(\.self) }

  /// The sentence that `describe` prints about the response.
  public var sentence: String {
    let words =
      switch says {
      case .current: "the CA's status of its certificate"
      case .good: "the status good for its certificate"
      case .revoked: "the status revoked for its certificate"
      case .unknown: "the status unknown for its certificate"
      case .tryLater: "an error instead of a response"
      }
    guard says != .tryLater else { return "It staples \(words)." }
    var parts = ["\(words), signed \(Detail.seconds(age).description) earlier"]
    if let signer { parts.append("by \(signer)") }
    if let about { parts.append("for \(about)") }
    if isBroken { parts.append("with an invalid signature") }
    let end = lifetime == 0 ? "without nextUpdate" : "valid for \(Detail.seconds(lifetime).description)"
    return "It staples \(parts.joined(separator: ", ")), \(end)."
  }
}

extension Kind {
  /// A stapled response: a keyword, or a map.
  static var staple: Kind<StapleDescription> {
    let names = StapleDescription.short.map(\.name)
    let section = Kind<StapleDescription>.section(StapleDescription.section) { StapleDescription() }
    return Kind<StapleDescription>(.either([.choice(names), section.shape])) { reader in
      guard reader.node.entries == nil else { return section.read(reader) }
      return reader.choice(names, called: "stapled response").flatMap { name in
        StapleDescription.short.first { $0.name == name }?.staple
      }
    }
  }
}
