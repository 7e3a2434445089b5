import Explanation
import URLLoading

/// Whether a request is carried out, and what goes before that.
struct Admission {
  /// Whether the server carries the request out.
  let isAdmitted: Bool
  /// What it decided, and what it answers where it does not.
  let effects: [EndpointEffect]
}

extension ServerEndpoint {
  /// Who is asking? RFC 9110 section 11.6: a server that wants to know answers 401 until it does.
  mutating func admit(_ request: HTTPRequest, _ message: HTTPMessage) -> Admission {
    guard var authenticator else { return Admission(isAdmitted: true, effects: []) }
    let fields = message.fields.filter { $0.name.lowercased() == "authorization" }.map(\.value)
    let judgement = authenticator.judge(
      method: request.method, uri: request.path,
      authorization: fields.isEmpty ? nil : fields.joined(separator: ", "), configuration.tls.enforcement)
    self.authenticator = authenticator
    let decision = EndpointEffect.decided(Narration.admission(judgement, of: request))
    switch judgement.answer {
    case .allowed: return Admission(isAdmitted: true, effects: [decision])
    case .forbidden:
      isRefused = true
      return Admission(isAdmitted: false, effects: [decision] + respond(with: HTTP.forbidden))
    case .unauthorized(let challenges):
      // A client that wants the connection closed asks again on another: RFC 9112 section 9.3.
      let closes = message.values(of: "connection").contains { $0.lowercased() == "close" }
      isRefused = closes
      reader = HTTPReader(.request)
      let response = HTTP.unauthorized(challenges, closes: closes)
      return Admission(isAdmitted: false, effects: [decision] + respond(in: [response], closes: closes))
    }
  }
}

extension Narration {
  /// What a server says to who a client says it is.
  static func admission(_ judgement: HTTPAuthenticator.Judgement, of request: HTTPRequest) -> Decision {
    let title: String
    let narration: String
    switch judgement.answer {
    case .allowed(let user):
      title = "the server lets \(user) in"
      narration = "The credentials are those of \(user), and \(request.line) is carried out."
    case .forbidden(let user):
      title = "the server has locked the account of \(user): 403"
      narration = "Passwords were wrong too often: until somebody unlocks the account no password helps."
    case .unauthorized(let challenges):
      let schemes = HTTPChallengeList(challenges).challenges.map(\.name)
      let reason = judgement.findings.map { $0.found == .absent ? "nothing says who asks" : $0.found.description }
      title = reason.isEmpty ? "the server challenges the client: 401" : "the server asks who the client is: 401"
      narration =
        reason.isEmpty
        ? "This is the second message of NTLM, a random number that the client proves its password with. It counts as no "
          + "failure, and nobody is asked."
        : "\(request.line) is not carried out: \(reason.joined(separator: "; ")). The server offers \(schemes.listed)."
    }
    return Decision(title: title, narration: narration, findings: judgement.findings)
  }
}

extension [String] {
  fileprivate var listed: String { isEmpty ? "nothing" : joined(separator: ", ") }
}
