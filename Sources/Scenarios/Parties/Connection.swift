import Endpoint
import Explanation
import Simulator
import URLLoading

/// A connection: a client that loads a URL.
public struct ConnectionDescription: Sendable {
  /// The name its values are prefixed with; nil for the only one.
  public let name: String?
  /// The URL as the author wrote it.
  public let url: String
  /// What is asked for, method, body and all; nil for a GET of the URL.
  public let request: HTTPRequest?
  /// The earlier connection whose client's messages an attacker sends again, in the place of a client.
  public let replayed: String?
  /// Where the URL stands.
  public let mark: SourceMark
  /// The app that loads it.
  public let client: ClientDescription
  /// What must come out of it.
  public let expectation: Expectation?
}

extension ConnectionDescription {
  /// The scope of its values.
  var scope: ValueScope { World.Plan.scope(of: name) }

  /// What the parts of this load are called, of which each can be expected something: attempts to make the connection,
  /// where the client falls back, and the hops of a redirect.
  func partNames(in scenario: Scenario) -> [String] {
    let fallback = client.fallback.applied(to: .systemDefault(os: client.os))
    let attempts = fallback.map { 1 + $0.versions.count } ?? 0
    let redirects = scenario.servers.flatMap(\.redirects).count
    return (0..<attempts).map { World.Plan.name(ofAttempt: $0, of: name) }
      + (redirects == 0 ? [] : (0...redirects).map { World.Plan.name(ofHop: $0, of: name) })
  }

  /// Whether it is the connection called `load`, another attempt to make it, or a hop of its redirects; nil is every one.
  func isPart(of load: String?) -> Bool { World.Plan.isPart(name, of: load) }

  /// The same connection, called by `day`, or by its own name on that day.
  func named(_ day: String?) -> ConnectionDescription {
    guard let day else { return self }
    return ConnectionDescription(
      name: name.map { "\(day).\($0)" } ?? day, url: url, request: request, replayed: replayed, mark: mark,
      client: client, expectation: expectation)
  }
}

/// A load while it is read.
struct RequestDescription {
  var url: NodeReader?
  var method = "GET"
  var body = ""
  var authorization: String?
  var name: String?
  var expectation: Expectation?

  static let section = Section<RequestDescription>(
    "request", "One of several loads.",
    [
      .term("url", .unread(.text), "the URL the app loads", into: \.url),
      .term(
        "method", .choice(HTTPRequest.methods, called: "method"), "what is asked for; GET, if left out",
        into: \.method),
      .term("body", .text, "what is sent with the request", into: \.body),
      .term(
        "authorization", .text,
        "the field Authorization, where the app sets it itself: 'Basic YWxpY2U6c2VjcmV0'", into: \.authorization),
      .term("name", .text, "the name its values are prefixed with", into: \.name),
      .term("expect", .expectation, "what must come out of this load", into: \.expectation),
    ])

  /// A URL, or a map that says more about the load.
  static let shape = Word.Shape.either([.text, .section(section.name)])
}

/// A connection while it is read.
struct ConnectionParts {
  var name: String?
  var client: NodeReader?
  var request: NodeReader?
  var replays: NodeReader?
  var expectation: Expectation?

  static let section = Section<ConnectionParts>(
    "connection", "A named connection with a client of its own.",
    [
      .term("name", .text, "the name its values are prefixed with", into: \.name),
      .term("client", .unread(.section("client")), "laid over the file's client", into: \.client),
      .term("request", .unread(RequestDescription.shape), "the URL the app loads", into: \.request),
      .term(
        "replays", .unread(.text), "the earlier connection whose client's messages an attacker sends again",
        into: \.replays),
      .term("expect", .expectation, "what must come out of this connection", into: \.expectation),
    ])
}

extension Kind {
  /// A section `expect`.
  static var expectation: Kind<Expectation> {
    Kind<Expectation>(.section("expect")) { $0.expectation() }
  }
}
