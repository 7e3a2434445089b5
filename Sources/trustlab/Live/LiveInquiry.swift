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
  /// Whether the client would offer TLS 1.3 if that were modelled: its system does, and nobody says otherwise.
  var offersTLS13 = true
  /// What the app changes of App Transport Security, for what its load would lead to.
  var app = AppTransportSecurity.Configuration.empty

  /// What came of it. A conversation has kilobytes of members: it is kept once, and not copied.
  final class Result {
    /// The client's own connection.
    let conversation: LiveConversation
    /// The connection in which the server has shown what it chooses: that one, or a probe; nil where it has in none.
    var shown: LiveConversation?
    /// What follows from probes.
    var conclusions: [Decision] = []

    init(conversation: LiveConversation, shown: LiveConversation? = nil) {
      (self.conversation, self.shown) = (conversation, shown)
    }
  }

  /// Asks as `configuration` says.
  ///
  /// - Throws: `Diagnostics` where nobody is there, or somebody who does not speak TLS.
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

  /// Asks a server that has chosen nothing once more with TLS 1.3, and without what App Transport Security demands, and
  /// concludes from the answers.
  private func askOtherwise(_ configuration: ClientEndpoint.Configuration, _ result: Result) {
    let conversation = result.conversation
    // What a hello with TLS 1.3 would have come to is nothing to blame App Transport Security for.
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
    // Who answers otherwise where older versions are on offer too speaks one of those.
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

  /// What answers a hello with TLS 1.3 and a key share.
  func probeOfTLS13(_ configuration: ClientEndpoint.Configuration) throws(Diagnostics) -> LiveConversation {
    try converse(VersionProbe.probing(configuration))
  }

  /// That the server takes none of all the protocols that the system offers either, of which not all are played here; nil
  /// where it takes one, or nothing more was offered.
  private func refusalOfAllProtocols(_ configuration: ClientEndpoint.Configuration) -> Decision? {
    let all = configuration.offer?.applicationProtocols ?? []
    guard all.contains(where: { !configuration.tls.applicationProtocols.contains($0) }) else { return nil }
    var probe = configuration
    probe.tls.applicationProtocols = all
    probe.asksForContent = false
    guard let probed = try? converse(probe) else { return nil }
    return probed.serverAlert == .noApplicationProtocol ? probed.missedProtocol : nil
  }

  /// Asks a server that takes none of the protocols inside once more without them, for what it shows: a system that offers
  /// more of them would see it.
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

  /// The server answers protocol_version where TLS 1.3 is not on offer, and `alert` where it is.
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
      confidence: .likely("one probing hello was sent, with the suites and the groups that systems offer most"))
    return Decision(.probe(.refusedInTLS13(alert)), [finding])
  }

  /// That nobody answered the connection by which the server was to be asked about TLS 1.3.
  private static func unasked(_ error: Diagnostics) -> Decision {
    Decision(.probe(.notProbed(error.all.map(\.message))))
  }

  /// The server speaks TLS 1.3, and so would the client, were it modelled.
  static func unseen(
    _ suite: CipherSuite, by configuration: ClientEndpoint.Configuration,
    because newest: ProbeEvent.Newest = .serversOnly
  ) -> Decision {
    let (decision, enforcement) = (configuration.decision, configuration.tls.enforcement)
    let open = enforcement.note(
      .versionNotImplemented, on: .connection, .unknown, found: .word(ProtocolVersion.tls13.description),
      confidence: .unknown("TLS 1.3 was probed with one hello: the certificates come encrypted, and were not looked at")
    )
    return Decision(
      .probe(
        .notModelled(
          suite, decision.load.os, because: newest, meetsRequirements: decision.requirements != nil)),
      decision.findings(on: .init(version: .tls13, cipherSuite: suite), enforcement: enforcement) + [open])
  }

  /// The server speaks TLS 1.3 alone, and the client does not offer it.
  private static func tooNew(for configuration: ClientEndpoint.Configuration) -> Decision {
    let newest = configuration.tls.versions.upperBound
    let finding = configuration.tls.enforcement.check(
      .noCommonVersion, on: .connection, false, required: .word(ProtocolVersion.tls13.description),
      found: .word(newest.description))
    return Decision(.probe(.tooNew(newestOffered: newest)), [finding])
  }

  /// The same client with what it offers where App Transport Security has no say, and nothing to ask for.
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

  /// What to do about a server that speaks this protocol in place of TLS.
  private static func hint(speaking name: String?) -> String {
    switch name {
    case "HTTP", "HTTP/2", "HTML or XML":
      "the port is one of plain HTTP: connect to the port of HTTPS, or enable TLS on this one"
    case "MySQL", "PostgreSQL": "it begins TLS only on a request of its own protocol, which is not spoken here"
    case "SMTP or FTP", "IMAP", nil:
      "is it the right port? 'trustlab connect --starttls smtp' (or imap) greets a mail server first"
    default: "is it the right port?"
    }
  }

  /// Why such a conversation says nothing about TLS: the server does not begin it; nil where it does.
  func obstacle(to conversation: LiveConversation) -> Diagnostics? {
    let place = "\(client.destination.host):\(client.destination.port)"
    switch conversation.ending {
    case .timedOut where client.destination.startTLS != nil && conversation.client.hello == nil:
      return Diagnostics(
        "\(place) does not begin TLS: nothing more came within \(client.timeout) s",
        hint: "is it the right protocol and the right port? --timeout waits longer")
    case .outOfTime(let seconds) where client.destination.startTLS != nil && conversation.client.hello == nil:
      return Diagnostics(
        "\(place) does not begin TLS: it was still speaking after \(seconds) s",
        hint: "is it the right protocol and the right port? --timeout waits longer")
    case .over, .timedOut, .outOfTime: return nil
    case .notTLS(let bytes):
      let text = String(decoding: bytes.drop { $0 == 10 || $0 == 13 }.prefix { $0 != 10 && $0 != 13 }, as: UTF8.self)
      let name = PlainText(bytes)?.name
      return Diagnostics(
        "\(place) speaks no TLS: it says '\(Console.escaped(text))'" + (name.map { ", as in \($0)" } ?? ""),
        hint: Self.hint(speaking: name))
    case .notStarted(let reason):
      return Diagnostics("\(place) does not begin TLS: \(reason)", hint: "is it the right protocol and the right port?")
    }
  }
}

extension Diagnostics {
  /// That nobody is there to be asked.
  init(_ error: LiveClient.ConnectError) {
    self.init("cannot connect to \(error.place): \(error.reason)", hint: error.hint)
  }
}

extension LiveConversation {
  /// Whether the server refuses every version that it was offered: RFC 5246 section 7.2.2.
  var refusesVersion: Bool { serverHello == nil && serverAlert == .protocolVersion }

  /// Whether the client has waited in vain for a first byte.
  var isSilent: Bool { hasTimedOut && receivedCount == 0 }

  /// Of a server that answers no hello but one with TLS 1.3, what is known of its versions.
  var preferenceOfTLS13: String {
    refusesVersion ? "speaks only TLS 1.3" : "takes nothing else of an offer than TLS 1.3"
  }

  /// What the client's decisions have found, in order.
  var found: [Finding] {
    moments.flatMap(\.effects).flatMap { effect -> [Finding] in
      if case .decided(let decision) = effect { decision.findings } else { [] }
    }
  }

  /// What else is wrong with what the server shows, in a probe that demands less of it; nil for nothing.
  fileprivate var furtherFaults: Decision? {
    let faults = faultsOfCertificates
    guard !faults.isEmpty else { return nil }
    return Decision(.probe(.certificatesRefused(next: true)), faults.map(\.advising))
  }

  /// What refuses the certificates that the server has shown.
  fileprivate var faultsOfCertificates: [Finding] {
    found.filter { $0.refuses && [.chain, .name, .pin].contains($0.rule.layer) }
  }

  /// The suite of a ServerHello of TLS 1.3; nil where there is none.
  var suiteOfTLS13: CipherSuite? {
    guard let hello = serverHello, hello.choosesTLS13 else { return nil }
    return hello.cipherSuite
  }

  /// That the server speaks none of the versions on offer; nil where nothing says so.
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

  /// That the server finds no suite that it would take; nil where nothing says so.
  fileprivate var missedSuite: Decision? {
    guard serverHello == nil, serverAlert == .handshakeFailure else { return nil }
    let finding = client.configuration.tls.enforcement.check(
      .noCommonSuite, on: .connection, false,
      found: .words(client.configuration.tls.cipherSuites.filter(\.isSelectable).map(\.name)),
      confidence: .likely("the server says handshake_failure in the place of ServerHello, and no more"))
    return Decision(.probe(.noCommonSuite), [finding])
  }

  /// The alerts by which servers refuse a client without a certificate: that of RFC 5246 section 7.4.6, that of RFC 8446
  /// section 4.4.2.4, and the one that some send in their place.
  private static let refusals: Set<AlertDescription> = [.handshakeFailure, .certificateRequired, .badCertificate]

  /// How the server asks who the client is, as far as a client learns that shows no certificate: not at all, or to go on
  /// without one, or to give up.
  var clientAuthentication: ClientAuthentication {
    guard hasAskedForCertificate, hasShownNoCertificate else { return .none }
    return missedCertificate == nil ? .optional : .required
  }

  /// That the server gives up because the client shows no certificate; nil where nothing says so.
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
        ? .certain : .likely("the server says \(alert) after a Certificate message without a certificate, and no more"))
    return Decision(.probe(.certificateRequired(alert, hasMisfit: misfit != nil)), [finding])
  }
}

extension LiveScenario.Server {
  /// What the server has shown in this connection; nil where it has chosen nothing, or what no server can choose. A chain
  /// with a certificate that cannot be read is none that a scenario could have.
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
