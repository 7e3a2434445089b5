import Endpoint
import URLLoading

/// A server's response in a scenario: a finished response, or one with an identity that must be issued first.
enum AnswerChoice: Sendable {
  case ready(HTTPAnswer)
  case registration(RegistrationDescription)
}

/// A server's response under construction.
struct AnswerDescription {
  var registration = RegistrationDescription()
  var target: NodeReader?
  var status: NodeReader?
  var body: [String]?
  var framing = HTTPAnswer.Framing.length

  static let section = Section<AnswerDescription>(
    "answer",
    "A response that is not a plain body: a redirect, a body in several parts, or an identity.",
    RegistrationDescription.words + [
      .term("body", .list(.text), "the parts of a body, each of which is sent separately", into: \.body),
      .term(
        "framing", .choice(called: "framing"),
        "how the body ends (RFC 9112 section 6.3): content-length, chunked or close; default: content-length",
        into: \.framing),
      .term(
        "redirect", .unread(.text), "the target of the redirect: a URL, or a path on the same server", into: \.target),
      .term(
        "status", .unread(.integer(300...399)),
        "the status code of the redirect: 301, 302, 303, 307 or 308; default: 302",
        into: \.status),
    ])
}

extension Kind {
  /// Responses by request line, for a server that issues no identities.
  static var answers: Kind<[String: HTTPAnswer]> {
    let all = Kind<[String: AnswerChoice]>.answerChoices
    return Kind<[String: HTTPAnswer]>(all.shape) { reader in
      all.read(reader).map { choices in
        choices.compactMapValues { choice in
          if case .ready(let answer) = choice { return answer }
          reader.fail("\(reader.path) issues an identity, which only a server can do", hint: "write a body")
          return nil
        }
      }
    }
  }

  /// Responses by request line, which may contain issued identities.
  static var answerChoices: Kind<[String: AnswerChoice]> {
    Kind<[String: AnswerChoice]>(.named(.either([.text, .section(AnswerDescription.section.name)]))) { reader in
      let answers = reader.named { line, mark, reader -> (String, AnswerChoice)? in
        let parts = line.split(separator: " ")
        guard parts.count == 2, HTTPRequest.methods.contains(String(parts[0])), parts[1].hasPrefix("/") else {
          reader.sink.error("'\(line)' is not a request line", hint: "write GET /path", at: mark)
          return nil
        }
        let asked = HTTPRequest(method: String(parts[0]), path: String(parts[1])).line
        return reader.answer().map { (asked, $0) }
      }
      return Dictionary(answers) { first, _ in first }
    }
  }
}

extension NodeReader {
  /// Reads a body, or a map that describes another kind of response.
  fileprivate func answer() -> AnswerChoice? {
    guard node.entries != nil else { return text().map { .ready(.content($0)) } }
    var answer = AnswerDescription()
    guard let map = read(AnswerDescription.section, into: &answer) else { return nil }
    guard !answer.registration.certificate.isEmpty else {
      if let stray = RegistrationDescription.words.lazy.compactMap({ map[$0.word.name] }).first {
        stray.fail("\(stray.path) needs pkcs12", hint: "write pkcs12: NAME next to it, with the name of a certificate")
      }
      return readyAnswer(answer).map(AnswerChoice.ready)
    }
    if answer.body != nil || answer.target != nil {
      fail("\(path) has both an identity and another response", hint: "keep only one of the two")
    }
    return .registration(answer.registration)
  }

  /// Returns a response with a body in parts, or a redirect.
  private func readyAnswer(_ answer: AnswerDescription) -> HTTPAnswer? {
    if let parts = answer.body {
      if answer.target != nil { fail("\(path) has both a body and a redirect", hint: "keep only one of the two") }
      if parts.isEmpty { fail("\(path) has an empty body", hint: "write { body: [hello] }") }
      return .parts(parts, answer.framing)
    }
    guard let place = answer.target else {
      fail(
        "\(path) has neither a body nor a redirect", hint: "write { redirect: /path } or { body: [one part, another] }")
      return nil
    }
    guard let target = place.text() else { return nil }
    let url = try? LoadURL(target)
    guard target.hasPrefix("/") || url.map({ ["http", "https"].contains($0.scheme) }) == true else {
      place.fail("'\(target)' is not a valid target of a redirect", hint: "write http://other.example/ or /path")
      return nil
    }
    guard let status = answer.status else { return .redirect(to: target, status: 302) }
    guard let code = status.integer(300...399) else { return nil }
    let known = HTTPAnswer.statuses.map(\.code)
    guard known.contains(code) else {
      status.fail("\(code) is not a redirect", hint: "write one of \(known.map(String.init).joined(separator: ", "))")
      return nil
    }
    return .redirect(to: target, status: code)
  }
}
