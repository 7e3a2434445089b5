import Cryptography
import Explanation
import TLS
import URLLoading

/// The words for the request for a tunnel to a proxy and for its response (RFC 9110 sections 9.3.6 and 11.7).
struct TunnelWords {
  private let lines: [Substring]
  private let side: Side

  /// Creates the words for this request or response.
  init(_ bytes: [UInt8], _ side: Side) {
    let all = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
    lines = Array(all.prefix { !$0.isEmpty })
    self.side = side
  }

  /// The message, the parties that can read it, and the information that the message reveals.
  var narration: String {
    guard side == .client else {
      let values = values(of: "Proxy-Authenticate")
      let plain = "The proxy responds before TLS begins, so everyone on the network can read the response."
      if values.isEmpty { return plain }
      if HTTPChallengeList(values).challenges.contains(where: { $0.scheme == .ntlm && $0.token != nil }) {
        return "\(plain) It is the second message of NTLM and contains a random number."
      }
      return
        "\(plain) The proxy requests credentials: "
        + "\(values.map { "Proxy-Authenticate: \($0)" }.joined(separator: "; "))."
    }
    let plain = "The client sends this request before TLS begins, so everyone on the network can read it"
    guard let credentials = values(of: "Proxy-Authorization").first else { return "\(plain)." }
    let list = HTTPChallengeList([credentials]).challenges.first
    switch list?.scheme {
    case .basic: return "\(plain), including name and password: Base64 is not encryption."
    case .digest:
      return
        "\(plain). It contains the name and, instead of the password, a hash. With the hash, an eavesdropper can test "
        + "guesses of the password."
    case .ntlm where list?.token.flatMap({ try? Base64.decode($0) }).flatMap(NTLMMessage.Negotiate.init(bytes:)) != nil:
      return
        "\(plain). It is the first message of NTLM: it lists the client's capabilities, but contains neither name nor "
        + "password."
    case .ntlm:
      return
        "\(plain). It is the third message of NTLM: the name, and a proof of the password that is computed with the "
        + "proxy's random number. It does not contain the password, but an eavesdropper can test guesses of it."
    case .negotiate, nil: return "\(plain)."
    }
  }

  private func values(of name: String) -> [String] {
    lines.filter { $0.lowercased().hasPrefix("\(name.lowercased()): ") }.map { String($0.dropFirst(name.count + 2)) }
  }
}
