import Explanation
import Simulator
import TLS

extension Attack {
  /// Returns the words for an attack on a message. `applies` is false if the message contains nothing to change.
  func words(applies: Bool) -> EventWords {
    EventWords(
      .interceptor, predicate(applies),
      applies ? narration : "The message contains nothing to change, so it is relayed unchanged.")
  }

  private func predicate(_ applies: Bool) -> String {
    switch deed {
    case .observe: "reads \(message)"
    case .drop: "drops \(message)"
    case .cut: "cuts the connection instead of delivering \(message)"
    case .replay: "sends \(message) again"
    case .alter(let alteration):
      applies
        ? "alters \(message): \(alteration)" : "finds nothing to alter in \(message)"
    case .inject(let injection, let order): "injects \(injection.name) \(order) \(message)"
    }
  }

  private var narration: String {
    switch deed {
    case .observe: "An attacker on the path sees every byte that is not encrypted."
    case .drop: "The message never arrives, and its sender does not notice."
    case .cut:
      "Neither this message nor any later one arrives. Ending a TCP connection requires no key: a FIN in the "
        + "sender's name is enough."
    case .replay: "A copy of the same bytes follows the message."
    case .alter: "The bytes arrive changed. The receiver's checks decide whether the change is noticed."
    case .inject:
      "An address does not authenticate the sender: any party on the path can send data in the sender's name."
    }
  }
}

/// The words for other attacks and for leaked secrets.
enum AttackWords {
  static let responseRewritten = EventWords(
    .interceptor, "rewrites the response",
    "The interceptor has decrypted the response, and sends a different one. A client that trusts the interceptor "
      + "cannot detect this.")

  static func oracle(_ attack: OracleAttack) -> EventWords {
    let narration =
      if attack.premasterSecret != nil {
        "An attacker multiplies the recorded ciphertext and sends the products to the server in \(attack.questions) "
          + "connections. Each response reveals whether the decrypted result begins with 00 02. This excludes "
          + "candidates for the secret until only one is left."
      } else if !attack.findings.isEmpty {
        "The server's responses differ, but \(attack.questions) of them do not reveal the secret."
      } else {
        "An attacker sends its own ciphertexts to the server. The server responds identically to correct and wrong "
          + "padding, so the attacker learns nothing."
      }
    return EventWords("\(attack.questions) queries", narration)
  }

  static func padding(_ attack: BlockPaddingAttack, _ suite: CipherSuite) -> EventWords {
    EventWords(
      "\(attack.connections) connection\(attack.connections == 1 ? "" : "s")", paddingNarration(attack, suite))
  }

  private static func paddingNarration(_ attack: BlockPaddingAttack, _ suite: CipherSuite) -> String {
    if let cookie = attack.cookie, attack.technique == .guessing {
      return
        "A web page makes the client repeat the request. Each time, the attacker changes the record so that the last "
        + "byte is correct padding if a guess of a byte of the cookie is right. The server's alert reveals whether the "
        + "padding or the MAC was wrong. One guess in 256 is right, and each costs a connection. The attacker finds the "
        + "bytes one by one, \(cookie.count) here. The alert is encrypted; a real attacker measures its time."
    }
    if let cookie = attack.cookie {
      return
        "A web page makes the client repeat the request. Each time, the attacker replaces the padding with the block "
        + "that ends with a byte of the cookie. After decryption, the server checks only the last byte. It is "
        + "correct one time in 256, and then reveals the cookie's byte. The attacker finds the bytes one by one, "
        + "\(cookie.count) here. Every further byte takes as many tries."
    }
    guard suite.registration?.cipher.blockLength != nil else {
      return "\(suite.name) has no blocks and no padding, so the attack does not apply."
    }
    return
      "A web page makes the client repeat the request, and each time the attacker replaces the padding with another "
      + "block. The server checks every byte of the padding and rejects each record in the same way, so the attacker "
      + "learns nothing."
  }

  static func leak(of content: Leak.Content, at date: Instant) -> EventWords {
    switch content {
    case .secret(let secret):
      EventWords(
        "\(secret) leaks",
        "On \(date), the secret \(secret) becomes known to the attackers, who still have the recording.")
    case .quantumComputer:
      EventWords(
        "attackers have a quantum computer",
        "From \(date) on, Shor's algorithm finds private keys of RSA, DH and elliptic curves from public keys. It "
          + "breaks neither AES, SHA-256 nor ML-KEM. TrustLab counts these computations and does not carry them out.")
    }
  }

  /// The heading of proofs.
  static let proofs = "Proofs that were carried out"
  /// The heading of proofs if at least one needs a quantum computer.
  static let proofsWithoutQuantumSteps = "Proofs that were carried out, except for the steps on a quantum computer"

  /// Returns the condition of a goal that this leak makes possible: `once api.key leaks (2016-12-01)`.
  static func condition(_ leak: Leak, _ obstacle: Obstacle?) -> String {
    let counted = obstacle.map { ", counted: \($0)" } ?? ""
    switch leak.content {
    case .secret(let secret): return "once \(secret) leaks (\(leak.at))" + counted
    case .quantumComputer: return "once attackers have a quantum computer (\(leak.at))" + counted
    }
  }

  /// Returns the time of an attempt that needs a leak: `on 2016-12-01, once api.key has leaked`.
  static func occasion(_ leak: Leak, at date: Instant) -> String {
    switch leak.content {
    case .secret(let secret): "on \(date), once \(secret) has leaked"
    case .quantumComputer: "on \(date), with a quantum computer"
    }
  }

  static func disclosure(of secret: Value.ID) -> EventWords {
    EventWords(
      "\(secret) is disclosed",
      "The reader of the recording receives the secret \(secret), and can compute every value that depends on it.")
  }
}

/// The words for the end of a recording.
enum RecordingWords {
  static func end(_ failure: HandshakeFailure, _ side: Side, _ finding: Finding) -> EventWords {
    let isUnknown = finding.outcome == .unknown
    let isCut = finding.rule == .truncatedConnection && isUnknown
    let actor: Actor = side == .client ? .client : .server
    let narration =
      isCut
      ? "The recording is \(finding.found.description). Neither endpoint caused the missing part."
      : (isUnknown ? finding.rule.statement : finding.rule.violation)
    if isUnknown { return EventWords("the rest is unknown", narration) }
    if failure.isOwn { return EventWords(actor, "would give up: \(failure.alert)", narration) }
    return Rule.passingOn.contains(finding.rule)
      ? EventWords(actor, "receives \(failure.alert)", narration) : EventWords("the recording ends", narration)
  }
}
