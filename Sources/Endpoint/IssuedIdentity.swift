import Cryptography
import Explanation

/// An identity that a server issues to a client that registers.
///
/// The identity is a PKCS #12 file with a private key that the server generated. The response is a JSON object (RFC
/// 8259), as services of this kind return it. Its members are `result`, `message`, and `certificate`, which contains
/// the file in Base64 (RFC 4648 section 4).
public struct IssuedIdentity: Sendable, Hashable {
  /// The name of the certificate.
  public let name: String
  /// The PKCS #12 file in DER (RFC 7292).
  public let file: [UInt8]
  /// The PIN that a request must contain, and that the user receives separately; nil if none is required.
  public let pin: String?

  /// Creates an identity with this file.
  public init(_ name: String, file: [UInt8], pin: String? = nil) {
    self.name = name
    self.file = file
    self.pin = pin
  }

  /// The finding about the PIN in a request; nil if no PIN is required.
  func finding(on request: HTTPRequest, _ enforcement: Enforcement) -> Finding? {
    guard let pin else { return nil }
    let fields = request.body.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
    let said = fields.first { $0.first == "pin" }.map { $0.count == 2 ? String($0[1]) : "" }
    return enforcement.check(
      .wrongPIN, on: .message(.httpRequest), said == pin, required: .word("the PIN of \(name)"),
      found: said.map { .word($0 == pin ? "the PIN" : "another PIN") } ?? .absent)
  }

  /// The response to a request with a wrong PIN.
  static let refusal: [UInt8] = {
    let body = "{\"result\": \"FAILURE\", \"message\": \"wrong PIN\"}"
    return Array(
      ("HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
        + "Connection: close\r\n\r\n\(body)").utf8)
  }()

  /// The name of the file as a value, such as `alice.p12`.
  public var fileName: Value.ID { Self.fileName(name) }

  /// The name of the file of the identity `name`, as a value.
  public static func fileName(_ name: String) -> Value.ID { ValueScope(name).name(.identityFile) }
  /// The name of the passphrase of that file, as a value.
  public static func passphraseName(_ name: String) -> Value.ID { ValueScope(name).name(.passphrase) }

  /// The derivation of the private key from the file and its passphrase.
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

  /// The PKCS #12 file in such a response; nil if there is none.
  public static func file(inResponse response: [UInt8]) -> [UInt8]? {
    let parts = String(decoding: response, as: UTF8.self).split(separator: beginning, maxSplits: 1)
    guard parts.count == 2, let text = parts[1].split(separator: "\"", maxSplits: 1).first else { return nil }
    return try? Base64.decode(String(text))
  }
}

extension ValueKind {
  /// A PKCS #12 file, such as `alice.p12`.
  public static let identityFile = ValueKind("p12")
  /// The passphrase of a PKCS #12 file, such as `alice.passphrase`.
  public static let passphrase = ValueKind("passphrase")
  /// A request for a tunnel, such as `connect.1`.
  static let connect = ValueKind("connect")
  /// A message that a proxy sends, such as `proxy.message.1`.
  static let message = ValueKind("message")
}

extension Rule {
  /// `client-auth.wrong-pin`
  public static let wrongPIN = Rule(
    .clientAuth, "wrong-pin", "The request for an identity contains the PIN that was agreed on separately.",
    .rfc(9110, "15.5.4"),
    fix: "Deliver the PIN by letter or in person, accept it only over https, and count failures.")
}
