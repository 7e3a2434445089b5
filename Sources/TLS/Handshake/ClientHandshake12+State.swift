import Cryptography

extension ClientHandshake12 {
  /// Where the handshake stands, with what is known there.
  public enum State: Sendable, Hashable {
    case idle
    case awaitingServerHello(ClientHello)
    case awaitingCertificate(Choice)
    case awaitingEvaluation(Choice)
    case awaitingServerKeyExchange(TrustedServer)
    case awaitingServerHelloDone(Exchange)
    case awaitingChangeCipherSpec(Secrets)
    case awaitingFinished(Secrets)
    case connected(ConnectionParameters)
    case closed

    /// The names of the events that have their place here.
    public var expected: [String] {
      switch self {
      case .idle: ["start"]
      case .awaitingServerHello: ["ServerHello"]
      case .awaitingCertificate: ["Certificate"]
      case .awaitingEvaluation: ["certificate evaluation"]
      case .awaitingServerKeyExchange: ["ServerKeyExchange"]
      case .awaitingServerHelloDone(let exchange):
        (exchange.request != nil ? [] : ["CertificateRequest"]) + ["ServerHelloDone"]
      case .awaitingChangeCipherSpec: ["ChangeCipherSpec"]
      case .awaitingFinished: ["Finished"]
      case .connected: ["HelloRequest"]
      case .closed: []
      }
    }

    /// Whether the handshake is complete.
    public var isConnected: Bool { parameters != nil }
    /// What was agreed on, once the handshake is complete.
    public var parameters: ConnectionParameters? {
      if case .connected(let parameters) = self { parameters } else { nil }
    }
    /// Whether the machine waits for an answer about the server's certificate.
    public var awaitsEvaluation: Bool {
      if case .awaitingEvaluation = self { true } else { false }
    }
  }

  /// What the server chose out of the offer.
  public struct Choice: Sendable, Hashable {
    /// The client's offer.
    public let offer: ClientHello
    /// The server's answer.
    public let hello: ServerHello
    /// The row of the suite.
    public let suite: CipherSuite.Registration

    /// Whether the server goes on with the session that the client proposed.
    var resumes: Bool { !offer.sessionID.isEmpty && offer.sessionID == hello.sessionID }

    /// Whether the server agreed to an extension that says nothing but yes.
    func agreed(to type: ExtensionType) -> Bool { hello.extensions?.contains { $0.type == type } ?? false }
  }

  /// A server whose certificate is trusted.
  public struct TrustedServer: Sendable, Hashable {
    /// What it chose.
    public let choice: Choice
    /// The key in its certificate.
    public let publicKey: PublicKey
  }

  /// Everything that the client's part of the key exchange needs.
  public struct Exchange: Sendable, Hashable {
    /// The server.
    public let server: TrustedServer
    /// The server's ephemeral key, nil for RSA.
    public let signed: ServerKeyExchange.SignedECDHParameters?
    /// How the server asked for a certificate of the client; nil when it did not.
    public private(set) var request: CertificateRequestMessage?

    init(server: TrustedServer, signed: ServerKeyExchange.SignedECDHParameters? = nil) {
      self.server = server
      self.signed = signed
    }

    func asked(_ request: CertificateRequestMessage) -> Exchange {
      var changed = self
      changed.request = request
      return changed
    }
  }

  /// The secrets of the connection.
  public struct Secrets: Sendable, Hashable {
    /// The master secret and what follows from it.
    public let schedule: KeySchedule12
    /// The keys of the records.
    public let keys: KeyBlock
    /// What will have been agreed on.
    public let parameters: ConnectionParameters
    /// The id under which the server may remember the session; empty when it does not.
    public let sessionID: [UInt8]
  }

  /// How the premaster secret comes about, once the server has chosen: it gives two messages their shape.
  public var keyExchange: CipherSuite.KeyExchange? {
    switch state {
    case .awaitingCertificate(let choice), .awaitingEvaluation(let choice): choice.suite.keyExchange
    case .awaitingServerKeyExchange(let server): server.choice.suite.keyExchange
    case .awaitingServerHelloDone(let exchange): exchange.server.choice.suite.keyExchange
    default: nil
    }
  }
}
