import Endpoint
import Explanation
import Simulator
import URLLoading

/// A connection: a client that loads a URL.
public struct ConnectionDescription: Sendable {
  /// The prefix of the connection's value names; nil if the case has only one connection.
  public let name: String?
  /// The URL as the author wrote it.
  public let url: String
  /// The request with its method and body; nil for a GET of the URL.
  public let request: HTTPRequest?
  /// The earlier connection whose client messages an attacker replays without a client; nil for none.
  public let replayed: String?
  /// The place of the URL in the file.
  public let mark: SourceMark
  /// The client that loads the URL.
  public let client: ClientDescription
  /// Whether the connection changes the file's client, so that another device may make it.
  var hasOwnClient = false
  /// The expectation for the connection; nil for none.
  public let expectation: Expectation?
}

extension ConnectionDescription {
  /// The scope of the connection's values.
  var scope: ValueScope { World.Plan.scope(of: name) }

  /// Returns the names of this load's parts, which can have expectations: fallback attempts and redirect hops.
  func partNames(in scenario: Scenario) -> [String] {
    let fallback = client.fallback.applied(to: .systemDefault(os: client.os))
    let attempts = fallback.map { 1 + $0.versions.count } ?? 0
    let redirects = scenario.servers.flatMap(\.redirects).count
    return (0..<attempts).map { World.Plan.name(ofAttempt: $0, of: name) }
      + (redirects == 0 ? [] : (0...redirects).map { World.Plan.name(ofHop: $0, of: name) })
  }

  /// Returns whether this is the connection called `load`, or one of its fallback attempts or redirect hops. Nil
  /// matches all connections.
  func isPart(of load: String?) -> Bool { World.Plan.isPart(name, of: load) }

  /// Returns this connection with the name `day`, or with `day` before its own name.
  func named(_ day: String?) -> ConnectionDescription {
    guard let day else { return self }
    return ConnectionDescription(
      name: name.map { "\(day).\($0)" } ?? day, url: url, request: request, replayed: replayed, mark: mark,
      client: client, hasOwnClient: hasOwnClient, expectation: expectation)
  }
}

/// A load under construction.
struct RequestDescription {
  var url: NodeReader?
  var method = "GET"
  var body = ""
  var authorization: String?
  var name: String?
  var expectation: Expectation?

  static let section = Section<RequestDescription>(
    "request", "One of several loads in 'requests'.",
    [
      .term("url", .unread(.text), "the URL that the app loads", into: \.url),
      .term(
        "method", .choice(HTTPRequest.methods, called: "method"), "the HTTP method; default: GET",
        into: \.method),
      .term("body", .text, "the body of the request", into: \.body),
      .term(
        "authorization", .text,
        "the Authorization header field, if the app sets it itself, such as 'Basic YWxpY2U6c2VjcmV0'",
        into: \.authorization),
      .term("name", .text, "the name, which is also the prefix of the names of its values", into: \.name),
      .term("expect", .expectation, "the expected results of this load", into: \.expectation),
    ])

  /// The shape of a load: a URL, or a map with more settings.
  static let shape = Word.Shape.either([.text, .section(section.name)])
}

/// A connection under construction.
struct ConnectionParts {
  var name: String?
  var client: NodeReader?
  var request: NodeReader?
  var replays: NodeReader?
  var expectation: Expectation?

  static let section = Section<ConnectionParts>(
    "connection", "A named connection with its own client.",
    [
      .term("name", .text, "the name, which is also the prefix of the names of its values", into: \.name),
      .term("client", .unread(.section("client")), "changes to the file's client", into: \.client),
      .term("request", .unread(RequestDescription.shape), "the URL that the app loads", into: \.request),
      .term(
        "replays", .unread(.text), "the earlier connection whose client messages an attacker replays",
        into: \.replays),
      .term("expect", .expectation, "the expected results of this connection", into: \.expectation),
    ])
}

extension Kind {
  /// The expectation for a connection, written as a section `expect`.
  static var expectation: Kind<Expectation> {
    Kind<Expectation>(.section("expect")) { $0.expectation() }
  }
}
