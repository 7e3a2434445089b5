import Cryptography
import PKIX

/// The file of PKCS #12 that a client has its identity from.
public struct IdentityFileDescription: Sendable {
  /// Where an app has a passphrase from.
  public enum PassphraseSource: String, Sendable, Hashable, CaseIterable {
    /// From somebody who types it.
    case person
    /// From the program itself, where everyone reads it who has the program.
    case binary
  }

  /// The certificate that is packed, with its key and its issuers below the root.
  public internal(set) var certificate: String?
  /// The certificate of somebody else, whose key the client has stolen; nil for none.
  public internal(set) var stolen: String?
  /// A real file, in its place.
  public internal(set) var file: FileReference?
  /// The passphrase that the file is made with; of a real file, the one that the app opens it with.
  public internal(set) var passphrase = ""
  /// The passphrase that the app opens it with; nil for the same.
  public internal(set) var opensWith: String?
  /// How the file is encrypted.
  public internal(set) var protection = PKCS12.Protection.pbes1TripleDES
  /// How the file is authenticated.
  public internal(set) var mac = PKCS12.MAC.sha1
  /// Where the app has the passphrase from.
  public internal(set) var source = PassphraseSource.person
  /// Whether the app retains the identity that it takes from the items.
  public internal(set) var isRetained = true

  /// Every word of an identity that comes from a file.
  static let section = Section<IdentityFileDescription>(
    "identity", "A file of PKCS #12 that the app imports with SecPKCS12Import, as its system does (RFC 7292).",
    [
      .term(
        "p12", .text, "the certificate that is packed with its key, and with its issuers below the root",
        into: \.certificate),
      .term(
        "stolen", .text,
        "somebody else's certificate, by a thief: the key is there only where what was read on the network leads to it",
        into: \.stolen),
      .term("file", .file, "a real file of PKCS #12, in the place of one that is packed", into: \.file),
      .term(
        "passphrase", .text, "what the file is made with; of a real file, what the app opens it with",
        into: \.passphrase),
      .term("opensWith", .text, "what the app opens it with; the same, if left out", into: \.opensWith),
      .term(
        "encryption", .choice(called: "encryption"),
        "how it is encrypted: pbes1-3des (if left out), pbes1-rc2-40, pbes2-aes-256", into: \.protection),
      .term(
        "mac", .choice(called: "MAC"), "how it is authenticated: sha1 (if left out), sha256, none", into: \.mac),
      .term(
        "passphraseFrom", .choice(called: "source"),
        "where the app has the passphrase from: person (if left out), or its own binary", into: \.source),
      .term(
        "retained", .flag, "whether the app retains what it takes from the array of items; true, if left out",
        into: \.isRetained),
    ])

  /// What the app opens the file with.
  var givenPassphrase: String { opensWith ?? passphrase }

  /// What the file is called.
  var name: String {
    if let certificate { return "\(certificate).p12" }
    return file?.path.split(separator: "/").last.map(String.init) ?? "identity.p12"
  }

  var sentence: String {
    let right = opensWith.map { $0 == passphrase } ?? true
    return "It imports \(name)\(file == nil ? " (\(protection.rawValue), MAC \(mac.rawValue))" : "")"
      + (right ? "." : ", with another passphrase than it was made with.")
  }
}

extension Entry<ClientDescription> {
  /// `identity`: names of certificates, or a file.
  static var identity: Entry {
    let names = Kind<[String]>.oneOrMany(.text).map { $0 == ["none"] ? [] : $0 }
    return Entry(
      word: Word(
        "identity", .either([.text, .list(.text), .section(IdentityFileDescription.section.name)]),
        "the certificate it shows a server that asks who it is, with its issuers below the root; a list of all; a file of "
          + "PKCS #12; none"),
      read: { reader, client in
        guard reader.node.entries != nil else {
          if let identity = names.read(reader) {
            (client.identity, client.identityFile, client.isThief) = (identity, nil, false)
          }
          return
        }
        var file = IdentityFileDescription()
        guard let map = reader.read(IdentityFileDescription.section, into: &file) else { return }
        if let stolen = file.stolen {
          if let stray = map.entries.map(\.key).first(where: { $0 != "stolen" }) {
            map[stray]?.fail("a stolen identity has no '\(stray)'", hint: "write { stolen: \(stolen) }")
          }
          (client.identity, client.identityFile, client.isThief) = ([stolen], nil, true)
          return
        }
        guard (file.certificate == nil) != (file.file == nil) else {
          reader.fail(
            "an identity is packed, or read from a file",
            hint: "write p12: NAME of a certificate, file: PATH, or stolen: NAME")
          return
        }
        (client.identity, client.identityFile, client.isThief) = ([file.certificate].compactMap(\.self), file, false)
      },
      isSaid: { _ in true },
      sentences: { client in
        if let file = client.identityFile { return [file.sentence] }
        if client.isThief {
          return ["It is a thief, and shows \(client.identity.listed) where it has come by the key."]
        }
        return client.identity.isEmpty ? [] : ["It shows \(client.identity.listed) where a server asks who it is."]
      },
      usual: { _ in .usual("none") })
  }
}
