import Explanation
import PKIX
import Scenarios
import Simulator

/// How the certificates of a run would be made by other programs, issuers before those they sign.
public struct IssuingView: Sendable {
  /// The certificates, each with the commands that would make it.
  public let recipes: [IssuingRecipe]

  /// The certificates that clients evaluated, whatever came of it.
  public init(_ simulation: Simulation) {
    let names = simulation.world.names
    let paths = simulation.accounts.compactMap(\.client.evaluation).flatMap(\.candidates).map(\.path.certificates)
    let longest = paths.map(\.count).max() ?? 0
    var certificates: [Certificate] = []
    // From the ends of the paths to their leaves, so that every issuer stands before what it signed.
    for place in 0..<longest {
      for path in paths where place < path.count {
        let certificate = path[path.count - 1 - place]
        if !certificates.contains(certificate) { certificates.append(certificate) }
      }
    }
    self.init(certificates.map { (names($0), $0) })
  }

  /// These certificates, in an order in which issuers come first.
  public init(_ certificates: [(name: String, certificate: Certificate)]) {
    var files = FileNames(reserved: [])
    var entries: [IssuingRecipe.Entry] = []
    for (name, certificate) in certificates {
      let same = entries.first { $0.certificate.subjectPublicKeyInfo == certificate.subjectPublicKeyInfo }
      let file = files.name(for: name)
      entries.append(.init(name: name, file: file, key: same?.key ?? file, certificate: certificate))
    }
    recipes = entries.enumerated().map { index, entry in
      IssuingRecipe(entry, isFirstOfKey: entry.key == entry.file, among: Array(entries.prefix(index)))
    }
  }

  /// Every certificate with its commands.
  public func document() -> Document {
    var document = Document()
    guard !recipes.isEmpty else { return document }
    document.heading("How these certificates are made")
    document.paragraph("With keys of one's own, and nothing but openssl and keytool; names are those of files.")
    for recipe in recipes {
      document.blocks.append(.space)
      document += recipe.document()
    }
    return document
  }

  /// Every certificate with its commands, each on a line.
  public var json: JSONValue { .array(recipes.map(\.json)) }
}
