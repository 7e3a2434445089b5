import Explanation
import Simulator
import TLS

extension Attack {
  /// The words for what an attacker does to a message; whether there was something in it to change.
  func words(applies: Bool) -> EventWords {
    EventWords(
      .interceptor, predicate(applies),
      applies ? narration : "There is nothing of that in the message: it goes on as it is.")
  }

  private func predicate(_ applies: Bool) -> String {
    switch deed {
    case .observe: "reads \(message)"
    case .drop: "drops \(message)"
    case .cut: "cuts the connection in the place of \(message)"
    case .replay: "sends \(message) a second time"
    case .alter(let alteration):
      applies
        ? "alters \(message): \(alteration)" : "finds nothing to alter in \(message)"
    case .inject(let injection): "injects \(injection.name) after \(message)"
    }
  }

  private var narration: String {
    switch deed {
    case .observe: "Whoever sits on the network sees every byte that is not encrypted."
    case .drop: "The message never arrives; its sender does not know."
    case .cut:
      "Neither this message nor anything after it arrives. To end a TCP connection takes no key: a FIN in the sender's "
        + "name will do."
    case .replay: "A copy of the same bytes follows the message."
    case .alter: "The bytes arrive changed. Whether anyone notices is for the receiver to say."
    case .inject: "The receiver cannot see from an address who sent something: what arrives may be anybody's."
    }
  }
}

/// The words for other attacks, and for secrets that become known.
enum AttackWords {
  static let responseRewritten = EventWords(
    .interceptor, "rewrites the answer",
    "It has the answer in the clear, and hands on another. Whoever trusts it cannot see that.")

  static func oracle(_ attack: OracleAttack) -> EventWords {
    let narration =
      if attack.premasterSecret != nil {
        "An attacker sends the server the recorded ciphertext, multiplied, in \(attack.questions) connections of its "
          + "own. Each answer tells whether the result begins with 00 02, and narrows what the secret can be, until one "
          + "number is left."
      } else if !attack.findings.isEmpty {
        "The server's answers differ, but \(attack.questions) of them do not lead to the secret."
      } else {
        "An attacker sends the server ciphertexts of its own: the server answers right and wrong padding alike, and "
          + "nothing is to be learnt."
      }
    return EventWords("\(attack.questions) questions", narration)
  }

  static func padding(_ attack: BlockPaddingAttack, _ suite: CipherSuite) -> EventWords {
    EventWords(
      "\(attack.connections) connection\(attack.connections == 1 ? "" : "s")", paddingNarration(attack, suite))
  }

  private static func paddingNarration(_ attack: BlockPaddingAttack, _ suite: CipherSuite) -> String {
    if let cookie = attack.cookie {
      return
        "A page that the client shows has it ask again and again. Each time the attacker copies the block that ends "
        + "with a byte of the cookie over the padding. The server looks only at the last byte of what comes out: one time "
        + "in 256 it fits, and then tells what the cookie's byte was. So byte after byte is found, \(cookie.count) here: a "
        + "longer one takes as many tries for each."
    }
    guard suite.registration?.cipher.blockLength != nil else {
      return "\(suite.name) has no blocks, and so no padding: there is nothing to copy over it."
    }
    return
      "A page that the client shows has it ask again and again, and each time the attacker copies a block over the "
      + "padding. The server compares every byte of it, refuses each record alike, and nothing is to be learnt."
  }

  static func leak(of secret: Value.ID, at date: Instant) -> EventWords {
    EventWords(
      "\(secret) leaks",
      "On \(date) the secret \(secret) becomes known to the attackers, who still have the recording.")
  }

  static func disclosure(of secret: Value.ID) -> EventWords {
    EventWords(
      "\(secret) is disclosed",
      "The secret \(secret) is given to whoever has the recording; what follows from it follows.")
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
      ? "The recording is \(finding.found.description). Nobody is to blame for what it lacks." : finding.rule.statement
    if isUnknown { return EventWords("what follows is not known", narration) }
    if failure.isOwn { return EventWords(actor, "would give up: \(failure.alert)", narration) }
    return Rule.passingOn.contains(finding.rule)
      ? EventWords(actor, "learns: \(failure.alert)", narration) : EventWords("the recording breaks off", narration)
  }
}
