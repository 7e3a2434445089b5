import Endpoint
import Explanation
import Trust

/// What a man in the middle, or an impostor, is given, while it is read.
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
    .term("presents", .list(.text), "the certificates it sends, leaf first; none for plain HTTP", into: \.presents),
    .term("holds", .list(.anyValue), "secrets it has from the start: a stolen api.key", into: \.holds),
    .term(
      "staple", .staple, "the responder's answer that it staples where a client asks; none, if left out", into: \.staple
    ),
  ]

  static let interceptor = Section<InterceptorParts>(
    "interceptor", "What a man in the middle presents, holds and rewrites.",
    common + [
      .term(
        "replace", .replacements, "text in the answers that pass, and what is put in its place", into: \.replacements),
      .term(
        "asks", .choice(["http", "https"], called: "scheme"),
        "how it asks the server; as the client asked, if left out",
        into: \.asks),
      .term(
        "os", .os, "the system whose offer it makes to the server; whatever the server speaks, if left out", into: \.os),
    ])

  static let impostor = Section<InterceptorParts>(
    "impostor", "What an attacker in the server's place presents, holds and answers.",
    common + [
      .term("content", .answers, "its answers: 'GET /path': body, or a redirect", into: \.content),
      .term(
        "withoutKey", .flag, "whether it has another key than that of the certificate it presents", into: \.isWithoutKey
      ),
    ])

  func description(of parts: VerbParts, answers: [String: HTTPAnswer]?, mark: SourceMark) -> NetworkVerb {
    .intercept(
      InterceptorDescription(
        presents: presents, holds: holds, replacements: replacements, content: answers, asks: asks,
        isWithoutKey: isWithoutKey, staple: staple, os: os, connection: parts.connection, mark: mark))
  }
}
