import Endpoint
import Explanation
import LiveTLS
import PKIX
import Scenarios
import TLS
import URLLoading

/// Connects to a real server as a client, and probes a server that refuses.
///
/// One probe offers TLS 1.3, and another omits the restrictions of App Transport Security.
struct LiveInquiry {
  var client: LiveClient
  /// Whether the real client would offer TLS 1.3, because its system does and no option excludes it. TrustLab does not
  /// model TLS 1.3.
  var offersTLS13 = true
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
    if Self.leavesTLS13Alone(configuration) { return try askForTLS13(configuration) }
    let conversation = try converse(configuration)
    let result = Result(conversation: conversation, shown: conversation.serverHello == nil ? nil : conversation)
    let missesProtocol = conversation.serverAlert == .noApplicationProtocol
    let refusal = missesProtocol ? refusalOfAllProtocols(configuration) : nil
    result.conclusions = [
      conversation.missedCertificate, conversation.client.refusalOfIdentity, refusal ?? conversation.missedProtocol,
      conversation.missedName,
      blockedRedirect(of: conversation), conversation.foreignRedirect, conversation.exhaustion,
      conversation.silence(of: client.timeout),
    ].compactMap(\.self)
    guard result.shown == nil, !conversation.hasTimedOut, conversation.client.hello != nil,
      conversation.missedName == nil
    else { return result }
    if missesProtocol { return refusal == nil ? askWithoutProtocols(configuration, result) : result }
    askOtherwise(configuration, result)
    return result
  }

  /// Probes a server that has selected nothing, with TLS 1.3 and without App Transport Security. Adds the conclusions
  /// to the result.
  private func askOtherwise(_ configuration: ClientEndpoint.Configuration, _ result: Result) {
    let conversation = result.conversation
    // App Transport Security is not the reason for the result of a TLS 1.3 hello.
    var probe: LiveConversation?
    do throws(Diagnostics) { probe = try converse(VersionProbe.probing(configuration)) } catch {
      result.conclusions.append(Self.unasked(error))
    }
    let newer = probe?.suiteOfTLS13
    let isOnly = conversation.refusesVersion
    if offersTLS13, let newer {
      result.conclusions.append(Self.unseen(newer, by: configuration, because: isOnly ? .serversOnly : .serversChoice))
      return
    }
    let older = configuration.decision.requirements == nil ? nil : try? converse(Self.withoutATS(configuration))
    if let older, older.serverHello != nil {
      result.shown = older
      if let faults = older.furtherFaults { result.conclusions.append(faults) }
      return
    }
    // A server that responds differently to an offer of older versions supports one of them.
    let speaksNoOther = isOnly && older?.refusesVersion != false
    if offersTLS13, speaksNoOther, newer == nil, let alert = probe?.serverAlert, alert != .protocolVersion {
      result.conclusions.append(Self.refusalInTLS13(alert, by: configuration))
      return
    }
    if newer != nil, isOnly {
      result.conclusions.append(Self.tooNew(for: configuration))
    } else if let missed = conversation.missedVersion ?? conversation.missedSuite {
      result.conclusions.append(missed)
    }
  }

  /// Sends a hello with TLS 1.3 and a key share.
  func probeOfTLS13(_ configuration: ClientEndpoint.Configuration) throws(Diagnostics) -> LiveConversation {
    try converse(VersionProbe.probing(configuration))
  }

  /// Returns the decision that the server refuses all application protocols of the system. The result is nil if it
  /// accepts one, or if the client already offered all of them.
  ///
  /// TrustLab does not model all of these protocols.
  private func refusalOfAllProtocols(_ configuration: ClientEndpoint.Configuration) -> Decision? {
    let all = configuration.offer?.applicationProtocols ?? []
    guard all.contains(where: { !configuration.tls.applicationProtocols.contains($0) }) else { return nil }
    var probe = configuration
    probe.tls.applicationProtocols = all
    probe.asksForContent = false
    guard let probed = try? converse(probe) else { return nil }
    return probed.serverAlert == .noApplicationProtocol ? probed.missedProtocol : nil
  }

  /// Connects again without application protocols to a server that refuses them.
  ///
  /// A system that offers more protocols would see the server's certificates.
  private func askWithoutProtocols(_ configuration: ClientEndpoint.Configuration, _ result: Result) -> Result {
    var plain = configuration
    plain.tls.applicationProtocols = []
    plain.asksForContent = false
    guard let probe = try? converse(plain), probe.serverHello != nil else { return result }
    result.shown = probe
    let faults = probe.faultsOfCertificates
    if !faults.isEmpty {
      result.conclusions.append(
        Decision(.probe(.certificatesRefused(next: false)), faults))
    }
    return result
  }

  /// Returns the decision about a server that sends protocol_version without an offer of TLS 1.3, and `alert` with such
  /// an offer.
  private static func refusalInTLS13(
    _ alert: AlertDescription, by configuration: ClientEndpoint.Configuration
  ) -> Decision {
    let offered = VersionProbe.probing(configuration).tls
    let (rule, found): (Rule, Detail) =
      switch alert {
      case .handshakeFailure:
        (.noCommonSuite, .words(offered.cipherSuites.filter { $0.keyExchange == .tls13 }.map(\.name)))
      case .unrecognizedName: (.unrecognizedName, .word(offered.host))
      case .noApplicationProtocol:
        (.noApplicationProtocol, .words(offered.applicationProtocols.map(\.description)))
      default: (.fatalAlert, .word("\(alert)"))
      }
    let finding = configuration.tls.enforcement.check(
      rule, on: .connection, false, found: found,
      confidence: .likely("TrustLab sent only one probe, with the suites and groups that systems usually offer"))
    return Decision(.probe(.refusedInTLS13(alert)), [finding])
  }

  /// Returns the decision that the connection for the TLS 1.3 probe failed.
  private static func unasked(_ error: Diagnostics) -> Decision {
    Decision(.probe(.notProbed(error.all.map(\.message))))
  }

  /// Returns the decision that client and server would use TLS 1.3, which TrustLab does not model.
  static func unseen(
    _ suite: CipherSuite, by configuration: ClientEndpoint.Configuration,
    because newest: ProbeEvent.Newest = .serversOnly
  ) -> Decision {
    let (decision, enforcement) = (configuration.decision, configuration.tls.enforcement)
    let open = enforcement.note(
      .versionNotImplemented, on: .connection, .unknown, found: .word(ProtocolVersion.tls13.description),
      confidence: .unknown(
        "whether the server's certificates are valid: TLS 1.3 encrypts them, so the probe did not check them")
    )
    return Decision(
      .probe(
        .notModelled(
          suite, decision.load.os, because: newest, meetsRequirements: decision.requirements != nil)),
      decision.findings(on: .init(version: .tls13, cipherSuite: suite), enforcement: enforcement) + [open])
  }

  /// Returns the decision that the server supports only TLS 1.3, which the client does not offer.
  private static func tooNew(for configuration: ClientEndpoint.Configuration) -> Decision {
    let newest = configuration.tls.versions.upperBound
    let finding = configuration.tls.enforcement.check(
      .noCommonVersion, on: .connection, false, required: .word(ProtocolVersion.tls13.description),
      found: .word(newest.description))
    return Decision(.probe(.tooNew(newestOffered: newest)), [finding])
  }

  /// Returns the client without a request, with its offer for an app without App Transport Security.
  static func withoutATS(_ configuration: ClientEndpoint.Configuration) -> ClientEndpoint.Configuration {
    var probe = configuration
    probe.tls = configuration.offerWithoutATS
    probe.tls.leaveOutTLS13()
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

  /// A description of a server that only responds to a hello with TLS 1.3, with the versions that are known.
  var preferenceOfTLS13: String {
    refusesVersion ? "supports only TLS 1.3" : "accepts only TLS 1.3 of the offered versions"
  }

  /// The findings of the client's decisions, in order.
  var found: [Finding] {
    moments.flatMap(\.effects).flatMap { effect -> [Finding] in
      if case .decided(let decision) = effect { decision.findings } else { [] }
    }
  }

  /// The decision about further faults that a probe with fewer requirements found; nil if there are none.
  fileprivate var furtherFaults: Decision? {
    let faults = faultsOfCertificates
    guard !faults.isEmpty else { return nil }
    return Decision(.probe(.certificatesRefused(next: true)), faults.map(\.advising))
  }

  /// The findings that refuse the server's certificates.
  fileprivate var faultsOfCertificates: [Finding] {
    found.filter { $0.refuses && [.chain, .name, .pin].contains($0.rule.layer) }
  }

  /// The cipher suite of a TLS 1.3 ServerHello; nil if there is none.
  var suiteOfTLS13: CipherSuite? {
    guard let hello = serverHello, hello.choosesTLS13 else { return nil }
    return hello.cipherSuite
  }

  /// The decision that the server supports none of the offered versions; nil if nothing indicates this.
  fileprivate var missedVersion: Decision? {
    guard refusesVersion else { return nil }
    let tls = client.configuration.tls
    let range = tls.versions
    let found =
      range.lowerBound == range.upperBound ? "\(range.upperBound)" : "\(range.lowerBound) to \(range.upperBound)"
    return Decision(
      .probe(.noCommonVersion(offered: found)),
      [tls.enforcement.check(.noCommonVersion, on: .connection, false, found: .word(found))])
  }

  /// The decision that the server accepts none of the offered suites; nil if nothing indicates this.
  fileprivate var missedSuite: Decision? {
    guard serverHello == nil, serverAlert == .handshakeFailure else { return nil }
    let finding = client.configuration.tls.enforcement.check(
      .noCommonSuite, on: .connection, false,
      found: .words(client.configuration.tls.cipherSuites.filter(\.isSelectable).map(\.name)),
      confidence: .likely("the server sends only handshake_failure instead of a ServerHello"))
    return Decision(.probe(.noCommonSuite), [finding])
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
    let rule = misfit.map { Rule.clientCertificateRequired.fixed(by: $0.fix) } ?? .clientCertificateRequired
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
    guard let hello = shown.serverHello, hello.serverVersion.isImplemented, hello.cipherSuite.isSelectable,
      hello.cipherSuite.registration != nil
    else { return nil }
    self.init(cipherSuite: hello.cipherSuite)
    chain = shown.certificates.compactMap { try? .init(der: $0) }
    if chain.count != shown.certificates.count { chain = [] }
    version = hello.serverVersion
    group = shown.group.flatMap { $0.isImplemented ? $0 : nil }
    content = answer
  }
}
