import Explanation
import PKIX
import TLS
import Trust
import URLLoading

extension AppTransportSecurity {
  /// A TLS connection to one server, whose result is the negotiation of the server with the ClientHello that ATS
  /// permits.
  struct SecureHop {
    let decision: Decision
    let server: Site.Server
    let evaluation: TrustEvaluation
    let names: CertificateNames
    /// The enforced rules.
    let enforcement: Enforcement

    func judged() -> LoadResult.Hop {
      let offer = ClientOffer(for: decision, enforcement: enforcement)
      do throws(ServerTerms.Disagreement) {
        return agreed(on: try server.terms.agreement(with: offer), offer)
      } catch {
        return failed(error, offer)
      }
    }

    private func agreed(on negotiated: Negotiated, _ offer: ClientOffer) -> LoadResult.Hop {
      let leaf = server.chain.first.map {
        decision.findings(on: ServerCertificate($0, name: names($0)), enforcement: enforcement)
      }
      let offered = decision.findings(on: negotiated, enforcement: enforcement)
      var findings = (decision.findings + offered + (leaf ?? []) + evaluation.findings).settled
      if server.terms.requiresClientCertificate, !findings.refuses {
        findings.append(enforcement.check(.clientCertificateRequired, on: .connection, false))
      }
      return hop(negotiated, findings, confidence: confidence(of: negotiated, offer, findings), alert: nil)
    }

    /// Returns the result of a failed negotiation. If it would succeed without App Transport Security, ATS is the
    /// cause.
    private func failed(_ disagreement: ServerTerms.Disagreement, _ offer: ClientOffer) -> LoadResult.Hop {
      let system = ClientOffer.systemDefault(os: decision.load.os)
      let counterfactual = decision.requirements == nil ? nil : try? server.terms.agreement(with: system)
      let blame = counterfactual.map { decision.findings(on: $0, enforcement: enforcement) } ?? []
      // The load cannot continue without an agreement, whichever rules are enforced.
      let own = Enforcement.standard.check(disagreement.rule, on: .connection, false)
      let reason = disagreement == .refused(.silence) ? [] : [own]
      var hop = hop(
        nil, decision.findings + (blame.refuses ? blame : reason),
        confidence: confidence(of: disagreement, offer), alert: disagreement.alert)
      if hop.findings.deciding.isEmpty { hop.errors = AppError.timedOut }
      return hop
    }

    private func hop(
      _ negotiated: Negotiated?, _ findings: [Finding], confidence: Finding.Confidence, alert: AppError.FatalAlert?
    ) -> LoadResult.Hop {
      let surfaced = AppError.surfacing(
        findings.deciding, atsInForce: decision.isRequired, os: decision.load.os, alert: alert)
      return LoadResult.Hop(
        url: decision.load.url, decision: decision, negotiated: negotiated, findings: findings,
        errors: surfaced.errors, confidence: confidence)
    }
  }
}

// The confidence of the result.
extension AppTransportSecurity.SecureHop {
  /// Returns the confidence in an agreement, which depends on the suite list, the support of the version, and the
  /// findings.
  private func confidence(
    of negotiated: AppTransportSecurity.Negotiated, _ offer: ClientOffer, _ findings: [Finding]
  ) -> Finding.Confidence {
    if decision.confidence != .certain { return decision.confidence }
    let refuses = findings.refuses
    let judged = findings.filter { $0.outcome == .violated && $0.refuses == refuses && !$0.rule.isNegotiated }
    // One certain reason is enough to refuse, even if other findings are uncertain.
    if refuses, judged.contains(where: { $0.confidence == .certain }) { return .certain }
    if let open = judged.map(\.confidence).first(where: { $0 != .certain }) { return open }
    if refuses { return .certain }
    if let open = transparencyDoubt { return open }
    let version = decision.load.os.confidence(in: negotiated.version)
    if version != .certain { return version }
    let isOnEveryList =
      negotiated.version == .tls13 || AppTransportSecurity.Suites.everywhere.contains(negotiated.cipherSuite)
    return isOnEveryList ? .certain : offer.confidence(in: negotiated.cipherSuite)
  }

  /// The doubt about the SCTs of a live server.
  ///
  /// The signatures of the SCTs are not verified, and systems ignore SCTs under roots that the user added.
  private var transparencyDoubt: Finding.Confidence? {
    guard server.isProbed,
      let finding = evaluation.findings.first(where: { $0.rule == .certificateTransparency })
    else { return nil }
    switch finding.outcome {
    case .satisfied: return .likely("TrustLab counted the SCTs in the certificate, but did not verify their signatures")
    case .notEvaluated, .unknown:
      return .unknown(
        "whether the certificate has enough SCTs; systems require them under system roots, but not under "
          + "user-installed roots (Apple 103214)")
    case .violated, .notApplicable: return nil
    }
  }

  /// Returns the confidence in a refusal. The refusal of a version that is not offered is certain, but a suite may be
  /// in a list that is not public.
  private func confidence(
    of disagreement: AppTransportSecurity.ServerTerms.Disagreement, _ offer: ClientOffer
  ) -> Finding.Confidence {
    if decision.confidence != .certain { return decision.confidence }
    if case .refused = disagreement {
      return .likely(
        "the server accepted none of the common offers; TrustLab did not send the ClientHello of each test")
    }
    if disagreement != .suite, let newest = server.terms.versions.max() {
      return decision.load.os.confidence(in: newest)
    }
    guard disagreement == .suite, decision.requirements?.cipherSuites == nil || !isBeyondEveryList else {
      return .certain
    }
    return offer.confidence
  }

  /// Whether the server's suites that the decision permits are missing from the suite lists of all generations.
  private var isBeyondEveryList: Bool {
    let isStrict = decision.requirements?.requiresForwardSecrecy == true
    return !server.terms.cipherSuites.contains { suite in
      AppTransportSecurity.Suites.anywhere.contains(suite)
        && (!isStrict || AppTransportSecurity.isEllipticEphemeral(suite))
    }
  }
}

extension AppTransportSecurity.Suites {
  /// The suites with forward secrecy that are in both the documentation and Apple's source code.
  static let everywhere: Set<CipherSuite> = Set(AppTransportSecurity.Suites(.documentation).forwardSecret)
    .intersection(AppTransportSecurity.Suites(OSVersion(.iOS, 18, 4)).forwardSecret)

  /// The suites that App Transport Security offers in at least one generation.
  static let anywhere: Set<CipherSuite> = [
    .documentation, OSVersion(.iOS, 9), OSVersion(.iOS, 13), OSVersion(.iOS, 18, 4),
  ].reduce(into: []) { known, os in
    let suites = AppTransportSecurity.Suites(os)
    known.formUnion(suites.forwardSecret + suites.rsa)
  }
}

extension Rule {
  /// Whether the rule is about a negotiated parameter.
  fileprivate var isNegotiated: Bool { [.atsTLSVersion, .atsNoForwardSecrecy, .atsCipherSuite].contains(self) }
}

extension AppTransportSecurity.ServerTerms.Disagreement {
  fileprivate var rule: Rule {
    switch self {
    case .version: .noCommonVersion
    case .suite, .suiteOfOlderVersion, .refused(.alert(.handshakeFailure)): .noCommonSuite
    case .refused(.alert(.protocolVersion)): .noCommonVersion
    case .refused(.alert(.noApplicationProtocol)): .noApplicationProtocol
    case .refused(.alert(.unrecognizedName)): .unrecognizedName
    case .refused(.alert): .fatalAlert
    case .refused(.broken(let rule, _)): rule
    case .refused(.closing): .closedEarly
    case .refused(.closed), .refused(.silence): .truncatedConnection
    }
  }

  fileprivate var alert: AppError.FatalAlert? {
    switch self {
    case .version(let saidByServer): AppError.FatalAlert(.protocolVersion, isFromServer: saidByServer)
    case .suite, .suiteOfOlderVersion: AppError.FatalAlert(.handshakeFailure, isFromServer: true)
    case .refused(.alert(let alert)): AppError.FatalAlert(alert, isFromServer: true)
    case .refused(.broken(_, let alert)): AppError.FatalAlert(alert, isFromServer: false)
    case .refused: nil
    }
  }
}
