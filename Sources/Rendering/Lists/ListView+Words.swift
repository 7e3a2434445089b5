import Explanation
import PKIX
import Scenarios
import Simulator
import TLS
import URLLoading

extension ListView {
  /// Every word of the scenario language: keys by section, then the names that may stand behind them.
  public static func words() -> Listing {
    var document = Document()
    var sections: [JSONValue] = []
    func add(_ name: String, _ meaning: String, _ words: [(String, String)]) {
      document.heading(RichText([Span(name), Span("  \(meaning)", .dim)]))
      document.blocks.append(
        .table(header: [], rows: words.map { [RichText($0.0, .name), "\($0.1)"] }, indent: 2))
      sections.append([
        "section": .string(name), "meaning": .string(meaning),
        "words": .array(words.map { ["word": .string($0.0), "meaning": .string($0.1)] }),
      ])
    }
    for section in Vocabulary.sections {
      add(section.name, section.meaning, section.words.map { ($0.name, $0.meaning + choices(of: $0.shape)) })
    }
    for (name, meaning, words) in names { add(name, meaning, words) }
    return (document, ["trustlab": 1, "sections": .array(sections)])
  }

  private static func choices(of shape: Word.Shape) -> String {
    switch shape {
    case .choice(let words): " (\(words.joined(separator: ", ")))"
    case .list(let inner), .named(let inner): choices(of: inner)
    case .either(let shapes): shapes.map(choices).first { !$0.isEmpty } ?? ""
    default: ""
    }
  }

  private static let names: [(String, String, [(String, String)])] = [
    ("values", "Names of a connection's values.", ValueName.all.map { ($0.name, $0.meaning) }),
    (
      "parties", "Who takes part, or watches.",
      [
        ("client", "the app, whose verdict a scenario is about"), ("server", "the server it means to reach"),
        ("eavesdropper", "a third party that sees every byte"),
        ("interceptor", "an active third party between the two"),
      ]
    ),
    (
      "systems", "The client's operating system.",
      [
        ("iOS 8 … iOS 18.4", "with a minor version where it matters"), ("macOS 10.11 … macOS 15", "the same"),
        ("doc", "Apple's documentation taken literally"),
      ]
    ),
    (
      "loaders", "The API that loads the URL.",
      Loader.allCases.map {
        ($0.rawValue, $0.isCovered ? "App Transport Security covers it" : "below App Transport Security")
      }
    ),
    ("break", "How a certificate is broken on purpose.", Fault.allCases.map { ($0.rawValue, meaning(of: $0)) }),
    (
      "keys", "Kinds of keys.",
      [
        ("rsa-2048", "RSA with a modulus of 512 to 8192 bits"), ("ec-p256", "a key on the curve P-256"),
        ("ec-p384", "a key on the curve P-384"), ("ec-p521", "a key on the curve P-521"),
      ]
    ),
    ("layers", "The part of a connection that decides.", Layer.deciding.map { ($0.rawValue, meaning(of: $0)) }),
  ]

  private static func meaning(of layer: Layer) -> String {
    let count = RuleCatalogue.all.count { $0.layer == layer }
    return count == 1 ? "1 rule" : "\(count) rules"
  }

  private static func meaning(of fault: Fault) -> String {
    switch fault {
    case .signature: "one bit of the signature is flipped"
    case .issuerKey: "signed with another key than the issuer's, under the issuer's name"
    case .issuerName: "the issuer's name is not that of the authority that signs"
    case .keyIdentifier: "authorityKeyIdentifier names another key than the one that signs"
    case .noAuthorityKeyIdentifier: "no authorityKeyIdentifier"
    case .noSubjectKeyIdentifier: "no subjectKeyIdentifier"
    case .noBasicConstraints: "no basicConstraints, though the subject issues certificates"
    case .notAuthority: "basicConstraints says that the subject is no authority"
    case .noCertificateSigning: "keyUsage lacks keyCertSign"
    case .noAlternativeName: "no subject alternative name"
    case .clientPurpose: "extKeyUsage says clientAuth only"
    case .version: "version 1, and extensions all the same"
    case .unknownCriticalExtension: "a critical extension that nobody knows"
    case .malformedExtension: "a subject alternative name that holds something else"
    case .duplicateExtension: "keyUsage twice"
    case .signatureAlgorithm: "the algorithm beside the signature differs from the signed one"
    }
  }
}
