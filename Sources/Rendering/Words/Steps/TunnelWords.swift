import Cryptography
import Explanation
import TLS
import URLLoading

/// The words for the request for a tunnel to a proxy, and for its response: RFC 9110 sections 9.3.6 and 11.7.
struct TunnelWords {
  private let lines: [Substring]
  private let side: Side

  /// The words for this request or response.
  init(_ bytes: [UInt8], _ side: Side) {
    let all = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
    lines = Array(all.prefix { !$0.isEmpty })
    self.side = side
  }

  /// What it is, who reads it, and what it gives away.
  var narration: String {
    guard side == .client else {
      let values = values(of: "Proxy-Authenticate")
      let plain = "What the proxy says, before there is any TLS: everyone on the network reads it."
      if values.isEmpty { return plain }
      if HTTPChallengeList(values).challenges.contains(where: { $0.scheme == .ntlm && $0.token != nil }) {
        return "\(plain) It is the second message of NTLM, a random number."
      }
      return
        "\(plain) It asks who the client is: \(values.map { "Proxy-Authenticate: \($0)" }.joined(separator: "; "))."
    }
    let plain = "Said to the proxy, before there is any TLS: everyone on the network reads it"
    guard let credentials = values(of: "Proxy-Authorization").first else { return "\(plain)." }
    let list = HTTPChallengeList([credentials]).challenges.first
    switch list?.scheme {
    case .basic: return "\(plain), name and password too: Base64 hides nothing."
    case .digest:
      return "\(plain). The name is there, and a hash in the place of the password: whoever reads it can try passwords."
    case .ntlm where list?.token.flatMap({ try? Base64.decode($0) }).flatMap(NTLMMessage.Negotiate.init(bytes:)) != nil:
      return "\(plain). It is the first message of NTLM, which says what the client can do: no name, and no password."
    case .ntlm:
      return
        "\(plain). It is the third message of NTLM: the name, and what proves the password with the proxy's random "
        + "number. The password is not in it; whoever reads it can try passwords."
    case .negotiate, nil: return "\(plain)."
    }
  }

  private func values(of name: String) -> [String] {
    lines.filter { $0.lowercased().hasPrefix("\(name.lowercased()): ") }.map { String($0.dropFirst(name.count + 2)) }
  }
}
