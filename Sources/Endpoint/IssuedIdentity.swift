import Cryptography
import Explanation

/// An identity that a server gives to whoever registers: a file of PKCS #12 with a private key that the server has made.
///
/// The response is the JSON object (RFC 8259) that services of this kind answer with: `result`, `message`, and under
/// `certificate` the file in Base64 (RFC 4648 section 4).
public struct IssuedIdentity: Sendable, Hashable {
  /// The name of the certificate.
  public let name: String
  /// The file in DER: RFC 7292.
  public let file: [UInt8]
  /// The PIN that a request must say to get it: both ends know it another way. Nil where none is asked for.
  public let pin: String?

  /// The identity of this name in this file.
  public init(_ name: String, file: [UInt8], pin: String? = nil) {
    self.name = name
    self.file = file
    self.pin = pin
  }

  /// What a server found on the PIN of a request; nil where it asks for none.
  func finding(on request: HTTPRequest, _ enforcement: Enforcement) -> Finding? {
    guard let pin else { return nil }
    let fields = request.body.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
    let said = fields.first { $0.first == "pin" }.map { $0.count == 2 ? String($0[1]) : "" }
    return enforcement.check(
      .wrongPIN, on: .message(.httpRequest), said == pin, required: .word("the PIN of \(name)"),
      found: said.map { .word($0 == pin ? "the PIN" : "another PIN") } ?? .absent)
  }

  /// The response to whoever does not know the PIN.
  static let refusal: [UInt8] = {
    let body = "{\"result\": \"FAILURE\", \"message\": \"wrong PIN\"}"
    return Array(
      ("HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
        + "Connection: close\r\n\r\n\(body)").utf8)
  }()

  /// The name of the file among the values: `alice.p12`.
  public var fileName: Value.ID { Self.fileName(name) }

  /// What the file of the identity `name` is called.
  public static func fileName(_ name: String) -> Value.ID { ValueScope(name).name(.identityFile) }
  /// What the passphrase of that file is called.
  public static func passphraseName(_ name: String) -> Value.ID { ValueScope(name).name(.passphrase) }

  /// The way to the private key: who has the file and its passphrase has the identity.
  public static func opening(_ name: String) -> Value.Derivation {
    .computed(.identityFileOpening, from: [fileName(name), passphraseName(name)])
  }

  private static let beginning = "\"certificate\": \""

  /// The whole response.
  var response: [UInt8] {
    let body =
      "{\"result\": \"SUCCESS\", \"message\": \"device registered\", \(Self.beginning)\(Base64.encode(file))\"}"
    return Array(
      ("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
        + "Connection: close\r\n\r\n\(body)").utf8)
  }

  /// The file in a response like that; nil where there is none.
  public static func file(inResponse response: [UInt8]) -> [UInt8]? {
    let parts = String(decoding: response, as: UTF8.self).split(separator: beginning, maxSplits: 1)
    guard parts.count == 2, let text = parts[1].split(separator: "\"", maxSplits: 1).first else { return nil }
    return try? Base64.decode(String(text))
  }
}

extension ValueKind {
  /// A file of PKCS #12: `alice.p12`.
  public static let identityFile = ValueKind("p12")
  /// Its passphrase: `alice.passphrase`.
  public static let passphrase = ValueKind("passphrase")
  /// A request for a tunnel: `connect.1`.
  static let connect = ValueKind("connect")
  /// What a proxy says: `proxy.message.1`.
  static let message = ValueKind("message")
}

extension Rule {
  /// Who gets an identity has shown before who it is.
  public static let wrongPIN = Rule(
    .clientAuth, "wrong-pin", "An identity is issued to whoever says the PIN that was agreed on another way.",
    .rfc(9110, "15.5.4"),
    fix: "Send the PIN by letter or at the counter, ask for it over https alone, and count wrong ones.")
}
