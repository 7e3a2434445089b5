import Cryptography
import PKIX

/// The PKCS #12 file that contains a client's identity.
public struct IdentityFileDescription: Sendable {
  /// The source from which an app obtains the passphrase.
  public enum PassphraseSource: String, Sendable, Hashable, CaseIterable {
    /// A person enters the passphrase.
    case person
    /// The passphrase is in the program itself, so it is public.
    case binary
  }

  /// The certificate in the file, with its key and its issuers below the root.
  public internal(set) var certificate: String?
  /// The certificate whose key the client has stolen; nil for none.
  public internal(set) var stolen: String?
  /// An existing file that replaces the generated one.
  public internal(set) var file: FileReference?
  /// The passphrase that encrypts the file; for a real file, the passphrase that the app uses.
  public internal(set) var passphrase = ""
  /// The passphrase that the app uses; nil if it is the file's passphrase.
  public internal(set) var opensWith: String?
  /// The algorithm that encrypts the file.
  public internal(set) var protection = PKCS12.Protection.pbes1TripleDES
  /// The MAC that protects the file.
  public internal(set) var mac = PKCS12.MAC.sha1
  /// The source from which the app obtains the passphrase.
  public internal(set) var source = PassphraseSource.person
  /// Whether the app retains the identity that it reads from the imported items.
  public internal(set) var isRetained = true

  /// Every key of an identity from a file.
  static let section = Section<IdentityFileDescription>(
    "identity", "A PKCS #12 file (RFC 7292) that the app imports with its system's SecPKCS12Import.",
    [
      .term(
        "p12", .text, "the certificate in the file, with its key and its issuers below the root",
        into: \.certificate),
      .term(
        "stolen", .text,
        "the certificate of another party; the client has its key only if the network traffic reveals it",
        into: \.stolen),
      .term("file", .file, "a real PKCS #12 file, instead of p12", into: \.file),
      .term(
        "passphrase", .text, "the passphrase that encrypts the file; for a real file, the passphrase that the app uses",
        into: \.passphrase),
      .term(
        "opensWith", .text, "the passphrase that the app uses; default: the passphrase of the file", into: \.opensWith),
      .term(
        "encryption", .choice(called: "encryption"),
        "the encryption of the file: pbes1-3des, pbes1-rc2-40 or pbes2-aes-256; default: pbes1-3des", into: \.protection
      ),
      .term(
        "mac", .choice(called: "MAC"), "the MAC of the file: sha1, sha256 or none; default: sha1", into: \.mac),
      .term(
        "passphraseFrom", .choice(called: "source"),
        "the source of the app's passphrase: a person, or the app's own binary; default: person", into: \.source),
      .term(
        "retained", .flag, "whether the app retains the identity from the array of imported items; default: true",
        into: \.isRetained),
    ])

  /// The passphrase that the app uses to open the file.
  var givenPassphrase: String { opensWith ?? passphrase }

  /// The name of the PKCS #12 file.
  var name: String {
    if let certificate { return "\(certificate).p12" }
    return file?.path.split(separator: "/").last.map(String.init) ?? "identity.p12"
  }

  var sentence: String {
    let right = opensWith.map { $0 == passphrase } ?? true
    return "It imports \(name)\(file == nil ? " (\(protection.rawValue), MAC \(mac.rawValue))" : "")"
      + (right ? "." : ", with a wrong passphrase.")
  }
}

extension Entry<ClientDescription> {
  /// The key `identity`: names of certificates, or a file.
  static var identity: Entry {
    let names = Kind<[String]>.oneOrMany(.text).map { $0 == ["none"] ? [] : $0 }
    return Entry(
      word: Word(
        "identity", .either([.text, .list(.text), .section(IdentityFileDescription.section.name)]),
        "the certificate that the client presents on request, with its issuers below the root; a list is the complete "
          + "chain, a map is a PKCS #12 file, and none is no certificate"
      ),
      read: { reader, client in
        guard reader.node.entries != nil else {
          if let identity = names.read(reader) {
            (client.identity, client.identityFile, client.isThief) = (identity, nil, false)
            client.identityIsComplete = reader.node.items != nil
          }
          return
        }
        client.identityIsComplete = false
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
            "an identity needs either 'p12' or 'file'",
            hint: "write p12: NAME of a certificate, file: PATH, or stolen: NAME")
          return
        }
        (client.identity, client.identityFile, client.isThief) = ([file.certificate].compactMap(\.self), file, false)
      },
      isSaid: { _ in true },
      sentences: { client in
        if let file = client.identityFile { return [file.sentence] }
        if client.isThief {
          return ["It is a thief, and presents \(client.identity.listed) if it has learned the key."]
        }
        return client.identity.isEmpty
          ? [] : ["It presents \(client.identity.listed) if a server requests a certificate."]
      },
      usual: { _ in .usual("none") })
  }
}
