/// A request of HTTP/1.1 as an app makes it and a server carries it out: RFC 9110 section 9.
public struct HTTPRequest: Sendable, Hashable, CustomStringConvertible {
  /// The method: `GET`.
  public let method: String
  /// The target: `/pay`.
  public let path: String
  /// What is sent with it; empty for most.
  public let body: String

  /// The methods that a scenario may use.
  public static let methods = ["GET", "HEAD", "POST", "PUT", "DELETE"]

  /// A request with these parts.
  public init(method: String = "GET", path: String, body: String = "") {
    self.method = method
    self.path = path
    self.body = body
  }

  /// Method and target, by which a server knows its answer: `POST /pay`.
  public var line: String { "\(method) \(path)" }
  /// Method, target and body: `POST /pay: pay 100`.
  public var description: String { body.isEmpty ? line : "\(line): \(body)" }
}
