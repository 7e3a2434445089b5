import Cryptography

extension ServerHandshake12 {
  /// Where the handshake stands, with what is known there.
  public enum State: Sendable {
    case awaitingClientHello
    /// The server chose a version that the machines cannot run; the client will refuse it.
    case awaitingRefusal
    case awaitingClientCertificate(Exchange)
    case awaitingEvaluation(Exchange)
    case awaitingClientKeyExchange(Exchange)
    case awaitingCertificateVerify(Secrets, by: PublicKey)
    case awaitingChangeCipherSpec(Secrets)
    case awaitingFinished(Secrets)
    case connected(ConnectionParameters)
    case closed

    /// The names of the events that have their place here.
    public var expected: [String] {
      switch self {
      case .awaitingClientHello: ["ClientHello"]
      case .awaitingRefusal: ["Alert"]
      case .awaitingClientCertificate: ["Certificate"]
      case .awaitingEvaluation: ["certificate evaluation"]
      case .awaitingClientKeyExchange: ["ClientKeyExchange"]
      case .awaitingCertificateVerify: ["CertificateVerify"]
      case .awaitingChangeCipherSpec: ["ChangeCipherSpec"]
      case .awaitingFinished: ["Finished"]
      case .connected: ["ClientHello"]
      case .closed: []
      }
    }

    /// Whether the handshake is complete.
    public var isConnected: Bool { parameters != nil }
    /// What was agreed on, once the handshake is complete.
    public var parameters: ConnectionParameters? {
      if case .connected(let parameters) = self { parameters } else { nil }
    }
    /// Whether the machine waits for an answer about the client's certificate.
    public var awaitsEvaluation: Bool {
      if case .awaitingEvaluation = self { true } else { false }
    }
  }

  /// Everything that the server's part of the key exchange needs.
  public struct Exchange: Sendable {
    /// The client's offer.
    public let offer: ClientHello
    /// The server's choice.
    public let choice: Choice
    /// `server_random`.
    public let random: [UInt8]
    /// The id under which the session will be remembered; empty when it will not.
    public let sessionID: [UInt8]
    let share: KeyShare?
    /// The key in the client's certificate, once that is trusted.
    public internal(set) var clientKey: PublicKey?
  }

  /// What the server chose out of the offer.
  public struct Choice: Sendable, Hashable {
    /// The version.
    public let version: ProtocolVersion
    /// The row of the suite.
    public let suite: CipherSuite.Registration
    /// The group, nil for RSA.
    public let group: NamedGroup?
    /// How the key exchange is signed, nil for RSA.
    public let signatureScheme: SignatureScheme?
  }

  /// The secrets of the connection.
  public struct Secrets: Sendable, Hashable {
    /// The master secret and what follows from it.
    public let schedule: KeySchedule12
    /// The keys of the records.
    public let keys: KeyBlock
    /// What will have been agreed on.
    public let parameters: ConnectionParameters
    /// The id under which the session will be remembered; empty when it will not.
    public let sessionID: [UInt8]
  }

  /// How the premaster secret comes about, once the server has chosen: it gives two messages their shape.
  public var keyExchange: CipherSuite.KeyExchange? {
    switch state {
    case .awaitingClientCertificate(let exchange), .awaitingEvaluation(let exchange),
      .awaitingClientKeyExchange(let exchange):
      exchange.choice.suite.keyExchange
    default: nil
    }
  }
}
