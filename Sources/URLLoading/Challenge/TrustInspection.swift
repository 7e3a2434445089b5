import Explanation
import PKIX
import Trust

/// What a delegate does with the trust of a challenge (SecTrust) before it answers.
public struct TrustInspection: Sendable {
  /// Which trust it looks at.
  public enum Subject: String, Sendable, Hashable, CaseIterable {
    /// The one in the challenge's protection space.
    case challenge
    /// One of its own that was never set: NULL.
    case null = "nil"
  }

  /// How it comes by a result.
  public enum Reading: String, Sendable, Hashable, CaseIterable {
    /// SecTrustEvaluate, on the thread it is called on.
    case evaluate
    /// SecTrustEvaluateAsync: iOS 7 to 12.
    case evaluateAsync
    /// SecTrustEvaluateWithError: iOS 12 and later.
    case evaluateWithError
    /// SecTrustGetTrustResult, without evaluating.
    case read

    /// The function's name.
    public var function: String {
      switch self {
      case .evaluate: "SecTrustEvaluate"
      case .evaluateAsync: "SecTrustEvaluateAsync"
      case .evaluateWithError: "SecTrustEvaluateWithError"
      case .read: "SecTrustGetTrustResult"
      }
    }
  }

  /// What it changes of the trust first.
  public struct Settings: Sendable {
    /// Certificates that it adds to the chain, on macOS also by SecTrustSetKeychains.
    public var added: [Certificate] = []
    /// Anchors of its own (SecTrustSetAnchorCertificates); nil leaves the system's, none at all trusts nothing.
    public var anchors: [Certificate]?
    /// Whether these are then the only anchors (SecTrustSetAnchorCertificatesOnly).
    public var anchorsOnly = true
    /// Whether the files that it makes them from are DER: of PEM SecCertificateCreateWithData makes none.
    public var areAnchorsDER = true
    /// The date of validation (SecTrustSetVerifyDate); nil is the client's clock.
    public var verifyDate: Instant?
    /// What it lets pass (SecTrustSetExceptions).
    public var exceptions: TrustExceptions?
    /// Whether it sets a policy without a host (SecPolicyCreateSSL(true, NULL)), which compares no name.
    public var leavesOutHost = false

    /// A trust with these anchors; nil leaves the system's.
    public init(anchors: [Certificate]? = nil, anchorsOnly: Bool = true) {
      self.anchors = anchors
      self.anchorsOnly = anchorsOnly
    }

    /// The system's evaluation with these changes.
    func applied(to system: TrustEvaluator) -> TrustEvaluator {
      var own = system
      if let anchors { own.requirements.store = system.requirements.store.settingAnchors(anchors, only: anchorsOnly) }
      if let verifyDate { (own.requirements.date, own.requirements.today) = (verifyDate, system.requirements.date) }
      own.requirements.exceptions = exceptions
      return own
    }
  }

  /// Which trust it looks at.
  public var subject = Subject.challenge
  /// What it changes first.
  public var settings = Settings()
  /// How it comes by a result.
  public var reading = Reading.evaluate
  /// Whether it looks at the status beside the result.
  public var checksStatus = true
  /// The results with which it is content.
  public var acceptedResults: [SecTrustResultType] = [.proceed, .unspecified]
  /// Public keys that it compares the path with afterwards.
  public var pins: [PublicKeyPins] = []
  /// The rules in force in what it does itself; nil for those of the system.
  public var enforcement: Enforcement?
  /// Whether it does so on the main thread, where NSURLConnection calls its delegate.
  public var isOnMainThread = false

  /// One that evaluates the challenge's trust with these changes.
  public init(_ settings: Settings = .init(), pins: [PublicKeyPins] = [], enforcement: Enforcement? = nil) {
    self.settings = settings
    self.pins = pins
    self.enforcement = enforcement
  }

  /// One that sets anchors of its own, and evaluates again.
  public static func ownAnchors(_ anchors: [Certificate], only: Bool) -> TrustInspection {
    TrustInspection(Settings(anchors: anchors, anchorsOnly: only))
  }

  /// The trust that a challenge carries: the chain as presented, for this host, as the system evaluates it.
  public struct Presented: Sendable {
    let chain: [Certificate]
    let host: String
    let evaluator: TrustEvaluator

    /// The chain that a server for `host` presented.
    public init(_ chain: [Certificate], host: String, _ evaluator: TrustEvaluator) {
      self.chain = chain
      self.host = host
      self.evaluator = evaluator
    }
  }

  /// What a delegate learnt from a trust.
  public struct Report: Sendable {
    /// What it did.
    public let inspection: TrustInspection
    /// The status that the function returned: 0, or errSecParam (-50).
    public let status: Int
    /// The result that it read; nil where none was written.
    public let result: SecTrustResultType?
    /// What was evaluated; nil where nothing was.
    public let evaluation: TrustEvaluation?
    /// What was found on pins, and on the delegate's own conduct.
    public let findings: [Finding]
    /// Whether the delegate is content.
    public let isGood: Bool
    /// What a library decided in the delegate's place; nil where the delegate looks for itself.
    public var library: LibraryVerdict?
  }

  /// SecTrust's functions on the trust of a challenge; `trust` is nil where the challenge has none.
  func report(on trust: Presented?, method: AuthenticationMethod, os: OSVersion, _ enforcement: Enforcement) -> Report {
    guard let trust, subject == .challenge else { return reportOnNothing(method, os, enforcement) }
    if reading == .read, !os.isAtLeast(iOS: (11, 0), macOS: (10, 13)) || os.family == .documentation {
      return reportUnread(trust, self.enforcement ?? trust.evaluator.diagnostics.enforcement)
    }
    var own = settings.applied(to: trust.evaluator)
    let enforcement = self.enforcement ?? trust.evaluator.diagnostics.enforcement
    own.diagnostics.enforcement = enforcement
    // A policy without a host is still one for servers.
    if settings.leavesOutHost { own.requirements.purpose = .server }
    let evaluation = own.evaluate(trust.chain + settings.added, host: settings.leavesOutHost ? nil : trust.host)
    let isTrusted = acceptedResults.contains(evaluation.result)
    // What the app pins is its own comparison: the system's result knows nothing of it.
    let compared = pins.map { $0.finding(on: evaluation, isTrusted: isTrusted, host: trust.host, own) }
    var conduct: [Finding] = []
    if !acceptedResults.allSatisfy(\.isTrusted), isTrusted, !evaluation.result.isTrusted {
      conduct.append(
        enforcement.check(
          .resultNotTrusted, on: .host(trust.host), false, required: .words(["Proceed", "Unspecified"]),
          found: .word(evaluation.result.description)))
    }
    if isOnMainThread, evaluation.mayUseNetwork {
      conduct.append(enforcement.check(.mainThread, on: .host(trust.host), false, found: .word(reading.function)))
    }
    return Report(
      inspection: self, status: 0, result: evaluation.result, evaluation: evaluation,
      findings: compared + conduct, isGood: isTrusted && !compared.refuses)
  }

  /// SecTrustGetTrustResult evaluates since iOS 11; before, and by the header, every change has discarded the result.
  private func reportUnread(_ trust: Presented, _ enforcement: Enforcement) -> Report {
    let finding = enforcement.check(
      .notEvaluated, on: .host(trust.host), false, required: .word("SecTrustEvaluate after the last change"),
      found: .word(SecTrustResultType.invalid.description))
    return Report(
      inspection: self, status: 0, result: .invalid, evaluation: nil, findings: [finding], isGood: !finding.refuses)
  }

  /// SecTrustEvaluate(NULL, &result): errSecParam, and the result is Invalid since iOS 11, untouched before.
  private func reportOnNothing(_ method: AuthenticationMethod, _ os: OSVersion, _ enforcement: Enforcement) -> Report {
    let writes = os.isAtLeast(iOS: (11, 0), macOS: (10, 13))
    let found = Detail.words(["errSecParam (-50)", writes ? "kSecTrustResultInvalid" : "a result that was not written"])
    let rule = subject == .null ? Rule.nilTrust : .methodNotChecked
    var findings = [
      enforcement.check(
        rule, on: .connection, false, required: .word("the serverTrust of a ServerTrust challenge"), found: found,
        confidence: writes
          ? .certain : .unknown("what the variable held before is what the delegate reads; played as no success"))
    ]
    if !checksStatus { findings.append(enforcement.check(.statusIgnored, on: .connection, false, found: found)) }
    return Report(
      inspection: self, status: -50, result: writes ? .invalid : nil, evaluation: nil, findings: findings,
      isGood: findings.allSatisfy { !$0.refuses })
  }
}

extension TrustEvaluation {
  /// Whether the evaluation has asked for an issuer over the network.
  fileprivate var mayUseNetwork: Bool { findings.contains { $0.rule == .issuerFetched } || wanted != nil }
}
