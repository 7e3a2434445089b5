import Explanation
import PKIX
import Scenarios
import Simulator

/// The commands with which other programs would issue a run's certificates, issuers first.
public struct IssuingView: Sendable {
  /// The certificates, each with the commands that would issue it.
  public let recipes: [IssuingRecipe]

  /// Creates a view of the certificates that clients evaluated, regardless of the result.
  public init(_ simulation: Simulation) {
    let names = simulation.world.names
    let paths = simulation.accounts.compactMap(\.client.evaluation).flatMap(\.candidates).map(\.path.certificates)
    let longest = paths.map(\.count).max() ?? 0
    var certificates: [Certificate] = []
    // Proceeds from the ends of the paths to the leaves, so that every issuer precedes its certificates.
    for place in 0..<longest {
      for path in paths where place < path.count {
        let certificate = path[path.count - 1 - place]
        if !certificates.contains(certificate) { certificates.append(certificate) }
      }
    }
    self.init(certificates.map { (names($0), $0) })
  }

  /// Creates a view of these certificates, with issuers first.
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

  /// The certificates as text, each with its commands.
  public func document() -> Document {
    var document = Document()
    guard !recipes.isEmpty else { return document }
    document.heading("Commands that make these certificates")
    document.paragraph(
      "The commands generate new keys and need only openssl and keytool. They use the names as file names.")
    for recipe in recipes {
      document.blocks.append(.space)
      document += recipe.document()
    }
    return document
  }

  /// The certificates as JSON, each with its commands, one command on each line.
  public var json: JSONValue { .array(recipes.map(\.json)) }
}

/// The openssl commands that issue a certificate like this one with a new key, and a keytool command if possible.
public struct IssuingRecipe: Sendable {
  /// A certificate and the names of its files.
  struct Entry: Sendable {
    /// The name of the certificate for readers.
    let name: String
    /// The name of the certificate's file, without its extension.
    let file: String
    /// The name of the private key's file, without its extension. Certificates with the same key share the file.
    let key: String
    let certificate: Certificate
  }

  /// The name of the certificate for readers.
  public let name: String
  /// The name of the new certificate's file, without its extension.
  public let file: String
  /// The openssl commands in order; empty if openssl cannot issue such a certificate.
  public let openSSL: [ShellCommand]
  /// The keytool command; nil if a single command cannot issue the certificate.
  public let keytool: ShellCommand?
  /// Notes about differences between the new certificate and the original.
  public let remarks: [String]

  /// Creates the commands for `entry`. Its issuer is among `earlier`, unless the certificate is self-signed.
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
        remarks.append("keytool writes no authorityKeyIdentifier and uses a random serial number.")
      }
    } else {
      openSSL = []
      keytool = nil
      remarks.append(
        "No openssl command can make this certificate: an openssl configuration cannot express its fields.")
    }
    self.remarks = remarks
  }

  /// Returns the reason why openssl cannot issue such a certificate; nil if it can.
  private static func obstacle(to certificate: Certificate, issuer: Certificate?) -> String? {
    if issuer == nil { return "No command can make this certificate: no certificate above has the key that signed it." }
    if certificate.signatureAlgorithm != certificate.signedSignatureAlgorithm {
      return "No command can make this certificate: its inner and outer signature algorithms differ."
    }
    if certificate.version < 3, !certificate.extensions.isEmpty || certificate.version == 2 {
      return "No command can make this certificate: openssl writes extensions only in version 3."
    }
    let oids = certificate.extensions.map(\.oid)
    if Set(oids).count < oids.count {
      return "No command can make this certificate: openssl writes each extension only once."
    }
    if certificate.serialNumber.first.map({ $0 >= 0x80 }) ?? true {
      return "No command can make this certificate: openssl ca accepts no negative serial number."
    }
    return nil
  }

  /// The commands as text, below the name of the certificate.
  func document() -> Document {
    var document = Document()
    document.paragraph(RichText(name, .name), indent: 2)
    for command in openSSL + [keytool].compactMap(\.self) { document.blocks.append(.command(command, indent: 4)) }
    for remark in remarks { document.bullet(RichText("·", .dim), "\(remark)", indent: 4) }
    return document
  }

  /// The commands as JSON, one on each line.
  var json: JSONValue {
    [
      "name": .string(name), "openssl": .strings(openSSL.map(\.description)),
      "keytool": .optional(keytool?.description), "remarks": .strings(remarks),
    ]
  }
}

extension Certificate {
  /// Returns whether the certificate names `issuer` as its issuer.
  fileprivate func names(_ issuer: Certificate) -> Bool { self.issuer == issuer.subject }
}

/// Returns a word in shell syntax.
func quoted(_ text: String) -> String {
  let plain = text.utf8.allSatisfy { byte in
    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || "._-/=:,@+".utf8.contains(byte)
  }
  return plain && !text.isEmpty ? text : "'" + text.replacing("'", with: "'\\''") + "'"
}
