import Endpoint
import Explanation
import TLS

extension Entry<ServerDescription> {
  /// Before which answers a server begins another handshake.
  static var renegotiates: Entry {
    .term(
      "renegotiates", .occasion,
      "whether it begins another handshake once a request has come, and answers after it: never, on-request, or a list of "
        + "the paths for which it does; where it asks for certificates of clients, it asks in that one only. "
        + "never, if left out",
      into: \.renegotiates, says: \.sentence)
  }
}

extension Kind {
  private static var occasions: [(word: String, value: RenegotiationOccasion)] {
    [("never", .never), ("on-request", .everyRequest)]
  }

  /// Never, with every request, or with those of some paths.
  fileprivate static var occasion: Kind<RenegotiationOccasion> {
    let words = occasions.map(\.word)
    let path = Word.Shape.pattern("^/[^ ?#]*$")
    return Kind<RenegotiationOccasion>(.either([.choice(words), .list(path)])) { reader in
      if case .list = reader.node {
        guard let paths = reader.list({ $0.requestPath() }) else { return nil }
        if !paths.isEmpty { return .paths(paths) }
        if reader.node.items?.isEmpty == false { return nil }
        reader.fail("no path is named", hint: "write [/account], or on-request for all")
        return nil
      }
      guard let word = reader.choice(words, called: "occasion") else { return nil }
      return occasions.first { $0.word == word }?.value
    }
  }

  /// A length that a client may ask for: RFC 6066 section 4.
  static var fragmentLength: Kind<MaximumFragmentLength> {
    let all = MaximumFragmentLength.allCases
    let words = all.map { String($0.count) }
    return Kind<MaximumFragmentLength>(.either(all.map { .integer($0.count...$0.count) }), written: { "\($0.count)" }) {
      reader in
      guard let text = reader.text() else { return nil }
      if let length = all.first(where: { String($0.count) == text }) { return length }
      reader.fail(
        "nobody can ask for fragments of '\(text)' bytes", hint: "RFC 6066 knows \(words.joined(separator: ", "))")
      return nil
    }
  }
}

extension NodeReader {
  fileprivate func requestPath() -> String? {
    guard let text = text() else { return nil }
    if text.hasPrefix("/"), !text.contains(where: { " ?#".contains($0) }) { return text }
    fail("'\(text)' is no path", hint: "write /account")
    return nil
  }
}

extension RenegotiationOccasion {
  fileprivate var sentence: String? {
    switch self {
    case .never: nil
    case .everyRequest: "It begins another handshake before it answers."
    case .paths(let paths): "It begins another handshake before it answers for \(paths.listed)."
    }
  }
}

extension Renegotiation {
  var clientsSentence: String? {
    switch self {
    case .refused: nil
    case .secure: "It takes part in another handshake that is bound to the one before (RFC 5746)."
    case .insecure: "It does not know RFC 5746, and takes part in every handshake on a connection."
    }
  }

  var serversSentence: String? { self == .refused ? "It declines other handshakes on a connection." : clientsSentence }
}

/// Checks that a server that begins another handshake takes part in one.
struct RenegotiationCheck {
  let scenario: Scenario
  let sink: DiagnosticSink

  func run() {
    for server in scenario.servers where server.renegotiates != .never && server.renegotiation == .refused {
      let node = scenario.tree["servers"]?[server.host] ?? scenario.tree["server"]
      sink.error(
        "the server declines the handshake that it begins itself", hint: "write renegotiation: secure",
        at: node?["renegotiation"]?.mark ?? server.mark)
    }
  }
}
