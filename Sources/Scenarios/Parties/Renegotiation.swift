import Endpoint
import Explanation
import TLS

extension Entry<ServerDescription> {
  /// The key `renegotiates`: the responses before which a server renegotiates.
  static var renegotiates: Entry {
    .term(
      "renegotiates", .occasion,
      "whether the server renegotiates between a request and its response: never, on-request, or a list of paths; it "
        + "then requests client certificates only in the renegotiation; default: never",
      into: \.renegotiates, says: \.sentence)
  }
}

extension Kind {
  private static var occasions: [(word: String, value: RenegotiationOccasion)] {
    [("never", .never), ("on-request", .everyRequest)]
  }

  /// The occasion of a renegotiation: never, every request, or requests for some paths.
  fileprivate static var occasion: Kind<RenegotiationOccasion> {
    let words = occasions.map(\.word)
    let path = Word.Shape.pattern("^/[^ ?#]*$")
    return Kind<RenegotiationOccasion>(.either([.choice(words), .list(path)])) { reader in
      if case .list = reader.node {
        guard let paths = reader.list({ $0.requestPath() }) else { return nil }
        if !paths.isEmpty { return .paths(paths) }
        if reader.node.items?.isEmpty == false { return nil }
        reader.fail("the list of paths is empty", hint: "write [/account], or on-request for all paths")
        return nil
      }
      guard let word = reader.choice(words, called: "occasion") else { return nil }
      return occasions.first { $0.word == word }?.value
    }
  }

  /// A maximum fragment length that a client may request (RFC 6066 section 4).
  static var fragmentLength: Kind<MaximumFragmentLength> {
    let all = MaximumFragmentLength.allCases
    let words = all.map { String($0.count) }
    return Kind<MaximumFragmentLength>(.either(all.map { .integer($0.count...$0.count) }), written: { "\($0.count)" }) {
      reader in
      guard let text = reader.text() else { return nil }
      if let length = all.first(where: { String($0.count) == text }) { return length }
      reader.fail(
        "'\(text)' is not a maximum fragment length", hint: "RFC 6066 defines \(words.joined(separator: ", "))")
      return nil
    }
  }
}

extension NodeReader {
  fileprivate func requestPath() -> String? {
    guard let text = text() else { return nil }
    if text.hasPrefix("/"), !text.contains(where: { " ?#".contains($0) }) { return text }
    fail("'\(text)' is not a path", hint: "write /account")
    return nil
  }
}

extension RenegotiationOccasion {
  fileprivate var sentence: String? {
    switch self {
    case .never: nil
    case .everyRequest: "It renegotiates before each response."
    case .paths(let paths): "It renegotiates before its response for \(paths.listed)."
    }
  }
}

extension Renegotiation {
  var clientsSentence: String? {
    switch self {
    case .refused: nil
    case .secure: "It accepts a renegotiation that is bound to the previous handshake (RFC 5746)."
    case .insecure: "It does not support RFC 5746, and accepts every renegotiation."
    }
  }

  var serversSentence: String? { self == .refused ? "It declines renegotiation." : clientsSentence }
}

/// Checks that a server that starts renegotiations also accepts them.
struct RenegotiationCheck {
  let scenario: Scenario
  let sink: DiagnosticSink

  func run() {
    for server in scenario.servers where server.renegotiates != .never && server.renegotiation == .refused {
      let node = scenario.tree["servers"]?[server.host] ?? scenario.tree["server"]
      sink.error(
        "the server declines the renegotiation that it starts itself", hint: "write renegotiation: secure",
        at: node?["renegotiation"]?.mark ?? server.mark)
    }
  }
}
