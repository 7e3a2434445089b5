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

/// The commands that make a certificate like this one, with a key of one's own: openssl's, and keytool's where it can.
public struct IssuingRecipe: Sendable {
  /// A certificate, and the files that stand for it.
  struct Entry: Sendable {
    /// What a reader calls it.
    let name: String
    /// The file of the certificate, without its extension.
    let file: String
    /// The file of its private key, without its extension: another certificate's, where both are for one key.
    let key: String
    let certificate: Certificate
  }

  /// What a reader calls the certificate.
  public let name: String
  /// The file of the certificate that the lines make, without its extension.
  public let file: String
  /// The lines for a shell, in order, with openssl alone; empty where openssl does not make such a certificate.
  public let openSSL: [ShellCommand]
  /// The line for keytool; nil for what keytool does not make in one line.
  public let keytool: ShellCommand?
  /// What the commands do not do.
  public let remarks: [String]

  /// The recipe for `entry`, whose issuer is among `earlier` unless it signed itself.
  init(_ entry: Entry, isFirstOfKey: Bool, among earlier: [Entry]) {
    let certificate = entry.certificate
    name = entry.name
    file = entry.file
    let isOwn = certificate.isSelfIssued && certificate.isSigned(by: certificate)
    let issuer =
      isOwn ? entry : earlier.first { certificate.names($0.certificate) && certificate.isSigned(by: $0.certificate) }
    var remarks: [String] = []
    if let obstacle = IssuingRecipe.obstacle(to: certificate, issuer: issuer?.certificate) {
      openSSL = []
      keytool = nil
      remarks.append(obstacle)
    } else if let issuer, let recipe = OpenSSLRecipe(entry, issuer: isOwn ? nil : issuer, makesKey: isFirstOfKey) {
      openSSL = recipe.commands
      keytool = isOwn ? KeytoolRecipe(entry)?.command : nil
      if keytool != nil, certificate.authorityKeyIdentifier != nil {
        remarks.append("keytool writes no authorityKeyIdentifier, and draws the serial number.")
      }
    } else {
      openSSL = []
      keytool = nil
      remarks.append("No command of openssl makes it: what it says of itself cannot be written in a configuration.")
    }
    self.remarks = remarks
  }

  /// Why openssl would not make such a certificate, whatever it is asked.
  private static func obstacle(to certificate: Certificate, issuer: Certificate?) -> String? {
    if issuer == nil { return "No command makes it: it was not signed with the key of an issuer that is shown above." }
    if certificate.signatureAlgorithm != certificate.signedSignatureAlgorithm {
      return "No command makes it: it names one algorithm within and another beside the signature."
    }
    if certificate.version < 3, !certificate.extensions.isEmpty || certificate.version == 2 {
      return "No command makes it: openssl writes extensions into version 3 alone."
    }
    let oids = certificate.extensions.map(\.oid)
    if Set(oids).count < oids.count { return "No command makes it: openssl writes no extension twice." }
    if certificate.serialNumber.first.map({ $0 >= 0x80 }) ?? true {
      return "No command makes it: openssl ca gives no negative serial number."
    }
    return nil
  }

  /// The commands under the certificate's name.
  func document() -> Document {
    var document = Document()
    document.paragraph(RichText(name, .name), indent: 2)
    for command in openSSL + [keytool].compactMap(\.self) { document.blocks.append(.command(command, indent: 4)) }
    for remark in remarks { document.bullet(RichText("·", .dim), "\(remark)", indent: 4) }
    return document
  }

  /// The commands, each on a line.
  var json: JSONValue {
    [
      "name": .string(name), "openssl": .strings(openSSL.map(\.description)),
      "keytool": .optional(keytool?.description), "remarks": .strings(remarks),
    ]
  }
}

extension Certificate {
  /// Whether it names this one as its issuer.
  fileprivate func names(_ issuer: Certificate) -> Bool { self.issuer == issuer.subject }
}

/// A word for a shell that means itself.
func quoted(_ text: String) -> String {
  let plain = text.utf8.allSatisfy { byte in
    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || "._-/=:,@+".utf8.contains(byte)
  }
  return plain && !text.isEmpty ? text : "'" + text.replacing("'", with: "'\\''") + "'"
}
