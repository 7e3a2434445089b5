/// A request that passed the gate.
public struct WebRequest: Sendable, Hashable {
  /// `GET`, `HEAD` or `POST`.
  public let method: String
  /// The path without the query, percent-decoded: `/scenarios/L1-01/index.html`.
  public let path: String
  /// The body; empty for `GET` and `HEAD`.
  public let body: [UInt8]

  /// A request for `path`.
  public init(_ method: String = "GET", path: String, body: [UInt8] = []) {
    (self.method, self.path, self.body) = (method, path, body)
  }
}

/// A response.
public struct WebResponse: Sendable, Hashable {
  /// The status code.
  public let status: Int
  /// The media type of the body: `text/html; charset=utf-8`.
  public let type: String
  /// The body.
  public let body: [UInt8]
  /// Further header fields.
  public var fields: [Field] = []
  /// Whether the connection ends after this response.
  var closes = false

  /// A header field.
  public struct Field: Sendable, Hashable {
    let name: String
    let value: String
  }

  /// A response with this body.
  public init(_ status: Int = 200, type: String, _ body: [UInt8]) {
    (self.status, self.type, self.body) = (status, type, body)
  }

  /// A response of plain text.
  public init(_ status: Int, _ text: String) {
    self.init(status, type: "text/plain; charset=utf-8", Array("\(text)\n".utf8))
  }

  /// A refusal, after which the connection ends: the rest of its request is not read.
  static func refusal(_ status: Int, _ text: String) -> WebResponse {
    var response = WebResponse(status, text)
    response.closes = true
    return response
  }
}

/// The limits of a server.
public struct WebLimits: Sendable {
  /// The largest body of a request, in bytes.
  public var body = 16 << 20
  /// The bytes of all bodies that are being received or answered.
  public var bodies = 64 << 20
  /// The largest header section of a request, in bytes.
  public var header = 64 << 10
  /// The connections that are open at once.
  public var connections = 128
  /// The requests that are answered or wait for a thread.
  public var requests = 64
  /// The seconds from the first byte of a request to its last.
  public var seconds: Int64 = 20
  /// The seconds without a request after which a connection ends.
  public var idleSeconds: Int64 = 60

  /// The usual limits.
  public init() {}
}
