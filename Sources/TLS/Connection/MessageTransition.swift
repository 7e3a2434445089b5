import Explanation

/// Two consecutive messages that one side of a handshake sends.
public struct MessageTransition: Sendable, Hashable, CustomStringConvertible {
  /// The order of messages that a version uses.
  public enum Order: String, Sendable, Hashable, CaseIterable {
    /// The order of SSL 3.0 to TLS 1.2.
    case upTo12 = "TLS 1.2"
    /// The order of TLS 1.3.
    case tls13 = "TLS 1.3"
  }

  /// The order of messages.
  public let order: Order
  /// The side that sends the messages.
  public let sender: Side
  /// The earlier message; nil if the later message is the first one.
  public let before: ProtocolMessage.Name?
  /// The later message.
  public let message: ProtocolMessage.Name

  /// Creates a transition.
  public init(
    _ order: Order, _ sender: Side, from before: ProtocolMessage.Name?, to message: ProtocolMessage.Name
  ) {
    (self.order, self.sender, self.before, self.message) = (order, sender, before, message)
  }

  /// The transition in words: `TLS 1.2, client: ClientHello, Certificate`.
  public var description: String {
    "\(order.rawValue), \(sender.rawValue): \(before?.description ?? "start"), \(message)"
  }

  /// All transitions of the handshakes that TrustLab supports.
  public static let all = tls12 + tls13

  /// A message of a figure, or the alternatives.
  private struct Row<Terms: OptionSet & Sendable> {
    let sender: Side
    let messages: [ProtocolMessage.Name]
    /// The conditions under which the message is sent.
    let terms: Terms
    let isOptional: Bool
  }

  private static let tls12: [MessageTransition] = {
    let figures = [MessageOrder12.full, MessageOrder12.abbreviated].map { figure in
      figure.map { row in
        Row(
          sender: row.sender, messages: [row.message.message].compactMap(\.self), terms: row.terms,
          isOptional: row.isOptional)
      }
    }
    let later = [
      MessageTransition(.upTo12, .client, from: .handshake(.finished), to: .handshake(.clientHello)),
      MessageTransition(.upTo12, .server, from: .handshake(.finished), to: .handshake(.helloRequest)),
      MessageTransition(.upTo12, .server, from: .handshake(.helloRequest), to: .handshake(.serverHello)),
    ]
    // Every supported suite has a server certificate, unless the handshake resumes a session.
    let conditions = (0..<128).map(MessageOrder12.Terms.init(rawValue:)).filter { terms in
      terms.contains(.authentication) && !terms.isSuperset(of: [.request, .requestInSSL3])
        && (!terms.contains(.clientCertificate) || !terms.isDisjoint(with: [.request, .requestInSSL3]))
    }
    return unique(figures.flatMap { transitions(.upTo12, $0, conditions) } + later)
  }()

  private static let tls13: [MessageTransition] = {
    let rows = MessageOrder13.handshake.map { row in
      Row(
        sender: row.sender, messages: row.messages.map { .handshake($0) }, terms: row.terms,
        isOptional: row.isOptional)
    }
    let later: [(Side, HandshakeType, HandshakeType)] = [
      (.server, .finished, .newSessionTicket), (.server, .newSessionTicket, .newSessionTicket),
      (.server, .finished, .keyUpdate), (.server, .finished, .certificateRequest),
      (.client, .finished, .keyUpdate), (.client, .finished, .certificate),
    ]
    // Early data requires a pre-shared key, and a server with one requests no certificate (RFC 8446 section 4.3.2).
    let conditions = (0..<64).map(MessageOrder13.Terms.init(rawValue:)).filter { terms in
      !terms.isSuperset(of: [.authentication, .earlyData])
        && (!terms.contains(.request) || terms.contains(.authentication))
        && (!terms.contains(.clientCertificate) || terms.contains(.request))
    }
    return unique(
      transitions(.tls13, rows, conditions)
        + later.map { MessageTransition(.tls13, $0.0, from: .handshake($0.1), to: .handshake($0.2)) })
  }()

  /// Returns the pairs of messages of each side between which, under one of `conditions`, no other message is required.
  private static func transitions<Terms: OptionSet & Sendable>(
    _ order: Order, _ figure: [Row<Terms>], _ conditions: [Terms]
  ) -> [MessageTransition] {
    Side.allCases.flatMap { side -> [MessageTransition] in
      let rows = figure.filter { $0.sender == side }
      return rows.indices.flatMap { last -> [MessageTransition] in
        (-1..<last).filter { first in
          conditions.contains { terms in
            (first < 0 || terms.isSuperset(of: rows[first].terms)) && terms.isSuperset(of: rows[last].terms)
              && rows[(first + 1)..<last].allSatisfy { $0.isOptional || !terms.isSuperset(of: $0.terms) }
          }
        }.flatMap { first -> [MessageTransition] in
          (first < 0 ? [nil] : rows[first].messages.map(Optional.some)).flatMap { before in
            rows[last].messages.map { MessageTransition(order, side, from: before, to: $0) }
          }
        }
      }
    }
  }

  private static func unique(_ transitions: [MessageTransition]) -> [MessageTransition] {
    var seen: Set<MessageTransition> = []
    return transitions.filter { seen.insert($0).inserted }
  }
}
