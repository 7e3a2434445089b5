import Endpoint
import Explanation
import LiveTLS
import PKIX
import Scenarios
import TLS
import URLLoading

/// Connects to a real server as a client.
///
/// If the server refuses, a probe omits the restrictions of App Transport Security.
struct LiveInquiry {
  var client: LiveClient
  /// The settings of the app, which decide about redirects.
  var app = AppTransportSecurity.Configuration.empty

  /// The result of the connection. It is a class to avoid copying the kilobytes of a conversation.
  final class Result {
    /// The client's own connection.
    let conversation: LiveConversation
    /// The connection in which the server made its choices: the client's own connection or a probe. Nil if there is
    /// none.
    var shown: LiveConversation?
    /// The decisions that follow from probes.
    var conclusions: [Decision] = []

    init(conversation: LiveConversation, shown: LiveConversation? = nil) {
      (self.conversation, self.shown) = (conversation, shown)
    }
  }

  /// Connects with `configuration`, and probes a server that refuses.
  ///
  /// - Throws: `Diagnostics` if there is no server, or if it does not use TLS.
  func ask(_ configuration: ClientEndpoint.Configuration) throws(Diagnostics) -> Result {
    let conversation = try converse(configuration)
    let result = Result(conversation: conversation, shown: conversation.serverHello == nil ? nil : conversation)
    result.conclusions = [
      conversation.missedCertificate, conversation.client.refusalOfIdentity, conversation.missedProtocol,
      conversation.missedName, conversation.otherProtocol,
      blockedRedirect(of: conversation), conversation.foreignRedirect, conversation.exhaustion,
      conversation.silence(of: client.timeout),
    ].compactMap(\.self)
    guard result.shown == nil, !conversation.hasTimedOut, conversation.client.hello != nil,
      conversation.missedName == nil, conversation.missedProtocol == nil
    else { return result }
    askWithoutATS(configuration, result)
    return result
  }

  /// Probes a server that has selected nothing, without the restrictions of App Transport Security. Adds the
  /// conclusions to the result.
  private func askWithoutATS(_ configuration: ClientEndpoint.Configuration, _ result: Result) {
    let probe = configuration.decision.requirements == nil ? nil : try? converse(Self.withoutATS(configuration))
    if let probe, probe.serverHello != nil {
      result.shown = probe
      if let faults = probe.furtherFaults { result.conclusions.append(faults) }
    } else if let missed = result.conversation.missedVersion ?? result.conversation.missedSuite {
      result.conclusions.append(missed)
    }
  }

  /// Returns the client without a request, with its offer for an app without App Transport Security.
  static func withoutATS(_ configuration: ClientEndpoint.Configuration) -> ClientEndpoint.Configuration {
    var probe = configuration
    probe.tls = configuration.offerWithoutATS
    probe.namedOffer = nil
    probe.asksForContent = false
    return probe
  }

  func converse(_ configuration: ClientEndpoint.Configuration) throws(Diagnostics) -> LiveConversation {
    let conversation: LiveConversation
    do throws(LiveClient.ConnectError) {
      conversation = try client.converse(configuration, clock: { Clock.now })
    } catch {
      throw Diagnostics(error)
    }
    if let obstacle = obstacle(to: conversation) { throw obstacle }
    return conversation
  }

  /// Returns the hint about a server that uses this protocol instead of TLS.
  private static func hint(speaking name: String?) -> String {
    switch name {
    case "HTTP", "HTTP/2", "HTML or XML":
      "the port is for plain HTTP: connect to the HTTPS port, or enable TLS on this port"
    case "MySQL", "PostgreSQL":
      "the server starts TLS only after a request of its own protocol, which TrustLab does not support"
    case "SMTP or FTP", "IMAP", nil:
      "check the port; for a mail server, use 'trustlab connect --starttls smtp' (or imap)"
    default: "check the port"
    }
  }

  /// Returns the error if the server does not start TLS; nil if it does.
  func obstacle(to conversation: LiveConversation) -> Diagnostics? {
    let place = "\(client.destination.host):\(client.destination.port)"
    switch conversation.ending {
    case .timedOut where client.destination.startTLS != nil && conversation.client.hello == nil:
      return Diagnostics(
        "\(place) does not start TLS: it sent nothing more within \(client.timeout) s",
        hint: "check the protocol and the port, or increase --timeout")
    case .outOfTime(let seconds) where client.destination.startTLS != nil && conversation.client.hello == nil:
      return Diagnostics(
        "\(place) does not start TLS: it was still sending after \(seconds) s",
        hint: "check the protocol and the port, or increase --timeout")
    case .over, .timedOut, .outOfTime: return nil
    case .notTLS(let bytes):
      let text = String(decoding: bytes.drop { $0 == 10 || $0 == 13 }.prefix { $0 != 10 && $0 != 13 }, as: UTF8.self)
      let name = PlainText(bytes)?.name
      return Diagnostics(
        "\(place) does not speak TLS: it sends '\(Console.escaped(text))'"
          + (name.map { ", which looks like \($0)" } ?? ""),
        hint: Self.hint(speaking: name))
    case .notStarted(let reason):
      return Diagnostics("\(place) does not start TLS: \(reason)", hint: "check the protocol and the port")
    }
  }
}

extension Diagnostics {
  /// Creates the error for a connection that cannot be opened.
  init(_ error: LiveClient.ConnectError) {
    self.init("cannot connect to \(error.place): \(error.reason)", hint: error.hint)
  }
}

extension LiveConversation {
  /// Whether the server refuses every version that the client offered (RFC 5246 section 7.2.2).
  var refusesVersion: Bool { serverHello == nil && serverAlert == .protocolVersion }

  /// Whether the server sent nothing until the timeout.
  var isSilent: Bool { hasTimedOut && receivedCount == 0 }

  /// The findings of the client's decisions, in order.
  var found: [Finding] {
    moments.flatMap(\.effects).flatMap { effect -> [Finding] in
      if case .decided(let decision) = effect { decision.findings } else { [] }
    }
  }

  /// The decision about further faults that a probe with fewer requirements found; nil if there are none.
  fileprivate var furtherFaults: Decision? {
    let faults = found.filter { $0.refuses && [.chain, .name, .pin].contains($0.rule.layer) }
    return faults.isEmpty ? nil : Decision(.probe(.certificatesRefused), faults.map(\.advising))
  }

  /// The decision that the server supports none of the offered versions; nil if nothing indicates this.
  fileprivate var missedVersion: Decision? {
    guard refusesVersion else { return nil }
    let tls = client.configuration.tls
    let found = tls.versions.words
    return Decision(
      .probe(.noCommonVersion(offered: found)),
      [tls.enforcement.check(.noCommonVersion, on: .connection, false, found: .word(found))])
  }

  /// The decision that the server accepts none of the offered suites; nil if nothing indicates this.
  fileprivate var missedSuite: Decision? {
    guard serverHello == nil, serverAlert == .handshakeFailure else { return nil }
    let tls = client.configuration.tls
    let suites = tls.cipherSuites.filter(\.isSelectable).map(\.name)
    let isTLS13 = tls.versions.contains(.tls13)
    let finding = tls.enforcement.check(
      isTLS13 ? .noCommonParameters13 : .noCommonSuite, on: .connection, false,
      found: .words(isTLS13 ? suites + tls.groups.map(\.description) + tls.signatureSchemes.map(\.name) : suites),
      confidence: .likely("the server sends only handshake_failure instead of a ServerHello"))
    return Decision(.probe(.noCommonSuite(offersTLS13: isTLS13)), [finding])
  }

  /// The alerts with which servers refuse a client without a certificate. Two are in RFC 5246 section 7.4.6 and RFC
  /// 8446 section 4.4.2.4; some servers send the third.
  private static let refusals: Set<AlertDescription> = [.handshakeFailure, .certificateRequired, .badCertificate]

  /// Whether the server requests a client certificate, and whether it requires one. A client without a certificate can
  /// only infer this.
  var clientAuthentication: ClientAuthentication {
    guard hasAskedForCertificate, hasShownNoCertificate else { return .none }
    return missedCertificate == nil ? .optional : .required
  }

  /// The decision that the server aborts because the client has no certificate; nil if nothing indicates this.
  fileprivate var missedCertificate: Decision? {
    guard hasAskedForCertificate, hasShownNoCertificate, let alert = serverAlert, Self.refusals.contains(alert) else {
      return nil
    }
    let misfit = client.identityMisfit
    let required =
      serverHello?.choosesTLS13 == true
      ? Rule.clientCertificateRequired.citing(.rfc(8446, "4.4.2.4")) : .clientCertificateRequired
    let rule = misfit.map { required.fixed(by: $0.fix) } ?? required
    let finding = client.configuration.tls.enforcement.check(
      rule, on: .connection, false, required: misfit.map { .word($0.required) } ?? .none,
      found: misfit.map { .word($0.found) } ?? .absent,
      confidence: alert == .certificateRequired
        ? .certain
        : .likely("the server sends only \(alert) after the client's Certificate message without a certificate"))
    return Decision(.probe(.certificateRequired(alert, hasMisfit: misfit != nil)), [finding])
  }
}

extension LiveScenario.Server {
  /// Collects the server's choices in this connection; nil if it chose nothing or values that no scenario can contain.
  ///
  /// A chain with an unreadable certificate becomes empty, because a scenario cannot contain it.
  init?(_ shown: LiveConversation, answer: String?) {
    guard let hello = shown.serverHello, hello.selectedVersion.isImplemented, hello.cipherSuite.isSelectable,
      hello.cipherSuite.registration != nil
    else { return nil }
    self.init(cipherSuite: hello.cipherSuite)
    chain = shown.certificates.compactMap { try? .init(der: $0) }
    if chain.count != shown.certificates.count { chain = [] }
    version = hello.selectedVersion
    group = shown.group.flatMap { $0.isImplemented13 ? $0 : nil }
    content = answer
  }
}
