import Cryptography
import Explanation

/// The Digest scheme: RFC 7616, or RFC 2069 if a server does not state a quality of protection.
public enum DigestAuthentication {
  /// The `algorithm` parameter: the hash, and whether it is computed once for each session.
  public struct Algorithm: Sendable, Hashable {
    /// The hash function.
    public let hash: Hash
    /// Whether the password's hash includes the nonce and the cnonce, as in algorithms that end with `-sess`.
    public let isSession: Bool

    /// Creates the algorithm with this name, ignoring case. Without a name, it is MD5.
    ///
    /// The result is nil for an algorithm that TrustLab does not support, such as SHA-512-256.
    public init?(_ name: String?) {
      switch (name ?? "MD5").uppercased() {
      case "MD5": (hash, isSession) = (.md5, false)
      case "MD5-SESS": (hash, isSession) = (.md5, true)
      case "SHA-256": (hash, isSession) = (.sha256, false)
      case "SHA-256-SESS": (hash, isSession) = (.sha256, true)
      default: return nil
      }
    }

    /// The value of the `algorithm` parameter.
    public var name: String { (hash == .md5 ? "MD5" : "SHA-256") + (isSession ? "-sess" : "") }
    /// The names of the supported algorithms.
    public static let names = ["MD5", "MD5-sess", "SHA-256", "SHA-256-sess"]
  }

  /// The inputs of a client's response (RFC 7616 section 3.4).
  public struct Proof: Sendable, Hashable {
    /// The algorithm.
    public var algorithm: Algorithm
    /// The realm.
    public var realm: String
    /// The server's nonce.
    public var nonce: String
    /// The nonce of the client; empty in the form of RFC 2069.
    public var cnonce: String
    /// The number of requests with this nonce (nc), including this one; nil in the form of RFC 2069.
    public var count: Int?

    /// Creates the inputs; `count` is nil in the form of RFC 2069.
    public init(_ algorithm: Algorithm, realm: String, nonce: String, cnonce: String = "", count: Int? = nil) {
      self.algorithm = algorithm
      self.realm = realm
      self.nonce = nonce
      self.cnonce = cnonce
      self.count = count
    }

    /// The nc parameter as eight hexadecimal digits.
    public var countText: String? {
      count.map { count in
        let digits = String(UInt32(truncatingIfNeeded: count), radix: 16)
        return String(repeating: "0", count: 8 - digits.utf8.count) + digits
      }
    }

    /// Computes H(A1), which a server may store instead of the password (section 3.4.2).
    public func secret(_ credential: UserPassword) -> String {
      let own = hash("\(credential.user):\(realm):\(credential.password)")
      return algorithm.isSession ? hash("\(own):\(nonce):\(cnonce)") : own
    }

    /// Computes the `response` parameter for a request (sections 3.4.1 to 3.4.3). The quality of protection is `auth`.
    public func response(_ credential: UserPassword, method: String, uri: String) -> String {
      let request = hash("\(method):\(uri)")
      let parts = countText.map { [nonce, $0, cnonce, "auth"] } ?? [nonce]
      return hash(([secret(credential)] + parts + [request]).joined(separator: ":"))
    }

    private func hash(_ text: String) -> String { Hex.string(algorithm.hash.digest(text.utf8)) }
  }

  /// Creates the value of `Authorization` for a request.
  public static func authorization(
    _ proof: Proof, _ credential: UserPassword, method: String, uri: String, opaque: String? = nil,
    namesAlgorithm: Bool = true
  ) -> String {
    var parameters: [HTTPChallenge.Parameter] = [
      .init("username", credential.user), .init("realm", proof.realm), .init("nonce", proof.nonce), .init("uri", uri),
    ]
    if !proof.cnonce.isEmpty { parameters.append(.init("cnonce", proof.cnonce)) }
    if let count = proof.countText {
      parameters += [.init("nc", count, isQuoted: false), .init("qop", "auth", isQuoted: false)]
    }
    parameters.append(.init("response", proof.response(credential, method: method, uri: uri)))
    if let opaque { parameters.append(.init("opaque", opaque)) }
    if namesAlgorithm { parameters.append(.init("algorithm", proof.algorithm.name, isQuoted: false)) }
    return HTTPChallenge("Digest", parameters).description
  }

  /// Returns whether a challenge offers `auth` as the quality of protection; nil if it does not state one.
  static func offersAuth(_ challenge: HTTPChallenge) -> Bool? {
    challenge["qop"].map { offered in
      offered.split { $0 == "," || $0 == " " || $0 == "\t" }.contains { $0.lowercased() == "auth" }
    }
  }
}
