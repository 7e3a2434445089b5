import Cryptography
import Explanation
import PKIX

/// The answer of a responder that a server brings along, as a scenario describes it: RFC 6066 section 8, RFC 6960.
public struct StapleDescription: Sendable, Hashable {
  /// What it says.
  public enum Statement: String, Sendable, Hashable, CaseIterable {
    /// What the authority said on that day: revoked, where it had revoked the certificate by then, else good.
    case current
    /// Good, whatever the authority thinks: whoever signs it lies, or errs.
    case good
    case revoked
    /// That the responder does not know the certificate.
    case unknown
    /// No answer, but an error that nobody signs.
    case tryLater = "try-later"
  }

  /// What it says.
  public internal(set) var says = Statement.current
  /// How many seconds before the connection it was signed.
  public internal(set) var age: Int64 = 86_400
  /// For how many seconds it is good; 0 leaves nextUpdate out.
  public internal(set) var lifetime: Int64 = 7 * 86_400
  /// Whose key signs it; nil for the issuer of the certificate.
  public internal(set) var signer: String?
  /// The certificate it is about; nil for the one that the server shows.
  public internal(set) var about: String?
  /// Whether a bit of its signature is flipped.
  public internal(set) var isBroken = false

  /// The short forms: one word for all of it.
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
    "staple", "The answer of a responder that a server brings along (OCSP stapling: RFC 6066 section 8, RFC 6960).",
    [
      .term(
        "says", .choice(called: "answer"),
        "what it says; what the authority said on that day (current), if left out", into: \.says),
      .term("age", .duration, "how long before the connection it was signed; 1 day, if left out", into: \.age),
      .term(
        "lifetime", .duration, "for how long it is good; 0 days says nothing of that; 7 days, if left out",
        into: \.lifetime),
      .term(
        "signer", .text, "the authority or certificate whose key signs it; the certificate's issuer, if left out",
        into: \.signer),
      .term(
        "about", .text, "the certificate it is about; the one that the server shows, if left out", into: \.about),
      .term("broken", .flag, "whether a bit of its signature is flipped; false, if left out", into: \.isBroken),
    ])

  /// The certificates that it names.
  var names: [String] { [signer, about].compactMap(\.self) }

  /// What `describe` says of it.
  public var sentence: String {
    let words =
      switch says {
      case .current: "what the authority said of its certificate"
      case .good: "that its certificate is good"
      case .revoked: "that its certificate is revoked"
      case .unknown: "that its certificate is not known"
      case .tryLater: "an error in the place of an answer"
      }
    guard says != .tryLater else { return "It staples \(words)." }
    var parts = ["\(words), signed \(Detail.seconds(age).description) before"]
    if let signer { parts.append("by \(signer)") }
    if let about { parts.append("about \(about)") }
    if isBroken { parts.append("with a signature that does not fit") }
    let end = lifetime == 0 ? "without an end" : "for \(Detail.seconds(lifetime).description)"
    return "It staples \(parts.joined(separator: ", ")), good \(end)."
  }
}

extension Kind {
  /// A stapled answer: a word, or a map.
  static var staple: Kind<StapleDescription> {
    let names = StapleDescription.short.map(\.name)
    let section = Kind<StapleDescription>.section(StapleDescription.section) { StapleDescription() }
    return Kind<StapleDescription>(.either([.choice(names), section.shape])) { reader in
      guard reader.node.entries == nil else { return section.read(reader) }
      return reader.choice(names, called: "stapled answer").flatMap { name in
        StapleDescription.short.first { $0.name == name }?.staple
      }
    }
  }
}
