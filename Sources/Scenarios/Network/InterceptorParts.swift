import Endpoint
import Explanation
import Trust

/// A man in the middle or an impostor under construction.
struct InterceptorParts {
  var presents: [String] = []
  var holds: [ValueName] = []
  var replacements: [String: String] = [:]
  var asks: String?
  var content: [String: HTTPAnswer] = [:]
  var isWithoutKey = false
  var staple: StapleDescription?
  var os: OSVersion?

  private static let common: [Entry<InterceptorParts>] = [
    .term(
      "presents", .list(.text), "the certificates that the attacker sends, leaf first; none for plain HTTP",
      into: \.presents),
    .term(
      "holds", .list(.anyValue), "the secrets that the attacker has from the start, such as a stolen api.key",
      into: \.holds),
    .term(
      "staple", .staple, "the OCSP response that the attacker staples on request; default: none", into: \.staple
    ),
  ]

  static let interceptor = Section<InterceptorParts>(
    "interceptor", "The certificates, secrets and changes of a man in the middle.",
    common + [
      .term(
        "replace", .replacements, "the text to replace in forwarded responses, and its replacement",
        into: \.replacements),
      .term(
        "asks", .choice(["http", "https"], called: "scheme"),
        "the URL scheme of the attacker's requests to the server; default: the client's scheme",
        into: \.asks),
      .term(
        "os", .os,
        "the system whose ClientHello the attacker sends to the server; default: any ClientHello that the server "
          + "accepts",
        into: \.os),
    ])

  static let impostor = Section<InterceptorParts>(
    "impostor", "The certificates, secrets and responses of an attacker in place of the server.",
    common + [
      .term(
        "content", .answers, "the attacker's responses by request: 'GET /path' with a body or a redirect",
        into: \.content),
      .term(
        "withoutKey", .flag, "whether the attacker's key differs from the key of its certificate", into: \.isWithoutKey
      ),
    ])

  func description(of parts: VerbParts, answers: [String: HTTPAnswer]?, mark: SourceMark) -> NetworkVerb {
    .intercept(
      InterceptorDescription(
        presents: presents, holds: holds, replacements: replacements, content: answers, asks: asks,
        isWithoutKey: isWithoutKey, staple: staple, os: os, connection: parts.connection, mark: mark))
  }
}
