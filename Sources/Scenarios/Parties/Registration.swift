import Endpoint
import Explanation
import PKIX

/// An identity in a server's response: `POST /register: { pkcs12: alice, passphrase: test }`.
public struct RegistrationDescription: Sendable, Hashable {
  /// The certificate in the issued file, with its key and its issuers below the root.
  public internal(set) var certificate = ""
  /// The passphrase that encrypts the file.
  public internal(set) var passphrase = ""
  /// The PIN that the request must contain, which both sides have received outside the connection; nil for none.
  public internal(set) var pin: String?
  /// The algorithm that encrypts the file.
  public internal(set) var protection = PKCS12.Protection.pbes1TripleDES
  /// The MAC that protects the file.
  public internal(set) var mac = PKCS12.MAC.sha1

  /// The keys of a registration in the map of a response.
  static let words: [Entry<AnswerDescription>] = [
    .term(
      "pkcs12", .text,
      "the certificate in a PKCS #12 file, with its key; the response sends the file in Base64, as 'certificate' of a "
        + "JSON object",
      into: \.registration.certificate),
    .term("passphrase", .text, "the passphrase that encrypts the file", into: \.registration.passphrase),
    .term(
      "pin", .text, "the PIN that the request body must contain, in the form pin=4711; default: none",
      into: \.registration.pin),
    .term(
      "encryption", .choice(called: "encryption"),
      "the encryption of the file: pbes1-3des, pbes1-rc2-40 or pbes2-aes-256; default: pbes1-3des",
      into: \.registration.protection),
    .term(
      "mac", .choice(called: "MAC"), "the MAC of the file: sha1, sha256 or none; default: sha1",
      into: \.registration.mac),
  ]
}

extension Entry<ServerDescription> {
  /// The key `content`: responses by request line. Identities among them are issued first.
  static var content: Entry {
    let answers = Kind<[String: AnswerChoice]>.answerChoices
    return Entry(
      word: Word(
        "content", answers.shape, "the responses by request: 'GET /path' with a body, a redirect or an identity"),
      read: { reader, server in
        guard let choices = answers.read(reader) else { return }
        (server.content, server.registrations) = ([:], [:])
        for (line, choice) in choices {
          switch choice {
          case .ready(let answer): server.content[line] = answer
          case .registration(let registration): server.registrations[line] = registration
          }
        }
      }, isSaid: { _ in true }, sentences: { _ in [] })
  }
}

extension Scenario {
  /// The identities that servers issue, each with its issuing server.
  var registrations: [(issuer: Party, registration: RegistrationDescription)] {
    servers.flatMap { server in
      let party = servers.count == 1 ? Party.server : Party(server.host)
      return server.registrations.sorted { $0.key < $1.key }.map { (party, $0.value) }
    }
  }

  /// The passphrases of issued files, which the server and the apps that use them know.
  ///
  /// A passphrase in the app's program is public.
  var passphrases: [Value] {
    var values: [Value] = []
    for (issuer, registration) in registrations {
      let name = IssuedIdentity.passphraseName(registration.certificate)
      guard !values.contains(where: { $0.id == name }) else { continue }
      var value = Value(name, Array(registration.passphrase.utf8), .generated(by: issuer))
      for file in connections.compactMap(\.client.identityFile)
      where file.certificate == registration.certificate && file.givenPassphrase == registration.passphrase {
        value.add(.generated(by: .client))
        if file.source == .binary { value.add(.published) }
      }
      values.append(value)
    }
    return values
  }
}
