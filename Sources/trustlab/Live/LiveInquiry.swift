import Endpoint
import Explanation
import LiveTLS
import PKIX
import Scenarios
import TLS
import URLLoading

/// Asks a real server as a client, and where it does not answer once more otherwise: without what App Transport Security
/// takes out of the offer, and with TLS 1.3.
struct LiveInquiry {
  var client: LiveClient

  /// What came of it.
  struct Result {
    /// The client's own connection.
    let conversation: LiveConversation
    /// The connection in which the server has shown what it chooses: that one, or a probe; nil where it has in none.
    var shown: LiveConversation?
    /// What follows from probes.
    var conclusions: [Decision] = []
    /// Whether the server speaks TLS 1.3 and nothing that is modelled.
    var isOnlyTLS13 = false
  }

  /// Asks as `configuration` says.
  ///
  /// - Throws: `Diagnostics` where nobody is there, or somebody who does not speak TLS.
  func ask(_ configuration: ClientEndpoint.Configuration) throws(Diagnostics) -> Result {
    let conversation = try converse(configuration)
    var result = Result(conversation: conversation, shown: conversation.serverHello == nil ? nil : conversation)
    guard result.shown == nil, conversation.ending != .timedOut, conversation.client.hello != nil else { return result }
    if configuration.decision.requirements != nil, let probe = try? converse(Self.withoutATS(configuration)),
      probe.serverHello != nil
    {
      result.shown = probe
      return result
    }
    if try speaksTLS13(configuration) {
      result.isOnlyTLS13 = true
      let finding = configuration.tls.enforcement.check(
        .versionNotImplemented, on: .connection, false, found: .word(ProtocolVersion.tls13.description))
      result.conclusions = [
        Decision(
          title: "the server speaks only TLS 1.3, which is not modelled",
          narration: "A probing hello with a key share (RFC 8446 section 4.2.8) was answered with a ServerHello of TLS "
            + "1.3, the hello of TLS 1.2 with an alert. Nothing is wrong with the server; what it shows comes encrypted, "
            + "and is not looked at.", findings: [finding])
      ]
    }
    return result
  }

  /// Whether a ServerHello of TLS 1.3 answers a hello with a key share.
  func speaksTLS13(_ configuration: ClientEndpoint.Configuration) throws(Diagnostics) -> Bool {
    try converse(VersionProbe.probing(configuration)).serverHello?.selectedVersion == .tls13
  }

  /// The same client with its system's own offer, and nothing to ask for.
  static func withoutATS(_ configuration: ClientEndpoint.Configuration) -> ClientEndpoint.Configuration {
    var probe = configuration
    let protocols = configuration.tls.applicationProtocols
    probe.tls.offer(ClientOffer.systemDefault(os: configuration.decision.load.os))
    probe.tls.applicationProtocols = protocols
    probe.asksForContent = false
    return probe
  }

  func converse(_ configuration: ClientEndpoint.Configuration) throws(Diagnostics) -> LiveConversation {
    let place = "\(client.destination.host):\(client.destination.port)"
    let conversation: LiveConversation
    do throws(LiveClient.ConnectError) {
      conversation = try client.converse(configuration, clock: { Clock.now })
    } catch {
      throw Diagnostics("cannot connect to \(error.place): \(error.reason)", hint: error.hint)
    }
    switch conversation.ending {
    case .over, .timedOut: return conversation
    case .notTLS(let bytes):
      let text = String(decoding: bytes.prefix { $0 != 10 && $0 != 13 }, as: UTF8.self)
      throw Diagnostics(
        "\(place) speaks no TLS: it says '\(Console.escaped(text))'",
        hint: "is it the right port? --starttls smtp or imap says STARTTLS first")
    case .notStarted(let reason):
      throw Diagnostics("\(place) does not begin TLS: \(reason)", hint: "is it the right protocol and the right port?")
    }
  }
}

extension LiveScenario.Server {
  /// What the server has shown in this connection; nil where it has chosen nothing. A chain with a
  /// certificate that cannot be read is none that a scenario could have.
  init?(_ shown: LiveConversation, answer: String?) {
    guard let hello = shown.serverHello else { return nil }
    self.init(cipherSuite: hello.cipherSuite)
    chain = shown.certificates.compactMap { try? .init(der: $0) }
    if chain.count != shown.certificates.count { chain = [] }
    version = hello.serverVersion
    group = shown.group.flatMap { $0.isImplemented ? $0 : nil }
    content = answer
  }
}
