import Endpoint
import Explanation
import PKIX

/// An identity that a server answers with: `POST /register: { pkcs12: alice, passphrase: test }`.
public struct RegistrationDescription: Sendable, Hashable {
  /// The certificate that is packed, with its key and its issuers below the root.
  public internal(set) var certificate = ""
  /// The passphrase that the file is made with.
  public internal(set) var passphrase = ""
  /// The PIN that the request must say, which both ends know another way; nil where none is asked for.
  public internal(set) var pin: String?
  /// How the file is encrypted.
  public internal(set) var protection = PKCS12.Protection.pbes1TripleDES
  /// How the file is authenticated.
  public internal(set) var mac = PKCS12.MAC.sha1

  /// Its words among those of an answer.
  static let words: [Entry<AnswerDescription>] = [
    .term(
      "pkcs12", .text,
      "the certificate that is packed with its key into a file of PKCS #12, and sent in Base64 as 'certificate' of a JSON "
        + "object", into: \.registration.certificate),
    .term("passphrase", .text, "what that file is made with", into: \.registration.passphrase),
    .term(
      "pin", .text, "the PIN that the body must say for it, as pin=4711; none is asked for, if left out",
      into: \.registration.pin),
    .term(
      "encryption", .choice(called: "encryption"),
      "how it is encrypted: pbes1-3des (if left out), pbes1-rc2-40, pbes2-aes-256", into: \.registration.protection),
    .term(
      "mac", .choice(called: "MAC"), "how it is authenticated: sha1 (if left out), sha256, none",
      into: \.registration.mac),
  ]
}

extension Entry<ServerDescription> {
  /// `content`: answers by request line, some of which have to be made first.
  static var content: Entry {
    let answers = Kind<[String: AnswerChoice]>.answerChoices
    return Entry(
      word: Word("content", answers.shape, "its answers: 'GET /path': body, a redirect, or an identity"),
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
  /// What the servers issue, each with who issues it.
  var registrations: [(issuer: Party, registration: RegistrationDescription)] {
    servers.flatMap { server in
      let party = servers.count == 1 ? Party.server : Party(server.host)
      return server.registrations.sorted { $0.key < $1.key }.map { (party, $0.value) }
    }
  }

  /// The passphrases of the files that servers issue: theirs, and those apps' that open such a file with it. What stands
  /// in a program is public.
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
