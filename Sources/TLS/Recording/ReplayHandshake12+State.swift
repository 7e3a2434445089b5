import Cryptography
import Explanation

extension ReplayHandshake12 {
  /// Where the handshake stands, with what is known there.
  public enum State: Sendable {
    case awaitingClientHello
    case awaitingServerHello(ClientHello)
    case awaitingCertificate(Choice)
    case awaitingServerKeyExchange(Exchange)
    case awaitingServerHelloDone(Exchange)
    case awaitingClientCertificate(Exchange)
    case awaitingClientKeyExchange(Exchange)
    case awaitingCertificateVerify(Session)
    case awaitingChangeCipherSpec(Session, from: Side)
    case awaitingFinished(Session, from: Side)
    case connected(ConnectionParameters)
    case closed

    /// Who speaks next, and what has its place here.
    public var expected: (side: Side?, messages: [String]) {
      switch self {
      case .awaitingClientHello: (.client, ["ClientHello"])
      case .awaitingServerHello: (.server, ["ServerHello"])
      case .awaitingCertificate(let choice):
        (.server, ["Certificate"] + (choice.mayResume ? ["ChangeCipherSpec"] : []))
      case .awaitingServerKeyExchange: (.server, ["ServerKeyExchange"])
      case .awaitingServerHelloDone(let exchange):
        (.server, (exchange.wantsCertificate ? [] : ["CertificateRequest"]) + ["ServerHelloDone"])
      case .awaitingClientCertificate: (.client, ["Certificate"])
      case .awaitingClientKeyExchange: (.client, ["ClientKeyExchange"])
      case .awaitingCertificateVerify: (.client, ["CertificateVerify"])
      case .awaitingChangeCipherSpec(_, let side): (side, ["ChangeCipherSpec"])
      case .awaitingFinished(_, let side): (side, ["Finished"])
      case .connected, .closed: (nil, [])
      }
    }

    /// What was agreed on, once the handshake is complete.
    public var parameters: ConnectionParameters? {
      if case .connected(let parameters) = self { parameters } else { nil }
    }
  }

  /// What the server chose out of the offer.
  public struct Choice: Sendable {
    /// The client's offer.
    public let offer: ClientHello
    /// The server's answer.
    public let hello: ServerHello
    /// The suite.
    public var suite: CipherSuite { hello.cipherSuite }

    /// Whether the server agreed to an extension that says nothing but yes.
    func agreed(to type: ExtensionType) -> Bool { hello.extensions?.contains { $0.type == type } ?? false }

    /// Whether the server may go on with an older session: it repeats the name of the one that the client proposed
    /// (RFC 5246 section 7.3), or the client showed a ticket (RFC 5077 section 3.1).
    var mayResume: Bool {
      if !offer.sessionID.isEmpty, offer.sessionID == hello.sessionID { return true }
      return offer.extensions?.contains { extended in
        if case .other(let type, let data) = extended { type.rawValue == 35 && !data.isEmpty } else { false }
      } ?? false
    }
  }

  /// What the server has shown of itself.
  public struct Exchange: Sendable {
    /// What it chose.
    public let choice: Choice
    /// The key in its certificate, where it can be told.
    public let publicKey: PublicKey?
    /// Its ephemeral key, nil for RSA.
    public var signed: ServerKeyExchange.SignedECDHParameters?
    /// Whether it asked for a certificate of the client.
    public var wantsCertificate = false
    /// Whether the client showed one.
    public var hasClientCertificate = false
  }

  /// The session, with its secrets where they are known.
  public struct Session: Sendable {
    /// What was agreed on.
    public let parameters: ConnectionParameters
    /// The master secret and what follows from it.
    public let schedule: KeySchedule12?
    /// The keys of the records; nil where they cannot be opened.
    public let keys: KeyBlock?
    /// Whether an older session goes on: then the server is the first to finish.
    public let isResumed: Bool
    /// Whether the server will send a ticket: RFC 5077 section 3.3.
    public let hasTicket: Bool

    /// Who finishes first.
    var first: Side { isResumed ? .server : .client }
  }

  /// How the premaster secret comes about, once the server has chosen: it gives two messages their shape.
  public var keyExchange: CipherSuite.KeyExchange? {
    switch state {
    case .awaitingCertificate(let choice): choice.suite.keyExchange
    case .awaitingServerKeyExchange(let exchange), .awaitingServerHelloDone(let exchange),
      .awaitingClientCertificate(let exchange), .awaitingClientKeyExchange(let exchange):
      exchange.choice.suite.keyExchange
    default: nil
    }
  }
}
