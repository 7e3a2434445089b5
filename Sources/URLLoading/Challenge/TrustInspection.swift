import Explanation
import PKIX
import Trust

/// A delegate's evaluation of a challenge's trust (SecTrust) before it responds.
public struct TrustInspection: Sendable {
  /// The trust that the delegate evaluates.
  public enum Subject: String, Sendable, Hashable, CaseIterable {
    /// The trust in the challenge's protection space.
    case challenge
    /// A variable of the delegate that was never set (NULL).
    case null = "nil"
  }

  /// The function that provides a result.
  public enum Reading: String, Sendable, Hashable, CaseIterable {
    /// SecTrustEvaluate, on the current thread.
    case evaluate
    /// SecTrustEvaluateAsync: iOS 7 to 12.
    case evaluateAsync
    /// SecTrustEvaluateWithError, for iOS 12 and later.
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

  /// The delegate's changes to the trust before the evaluation.
  public struct Settings: Sendable {
    /// The certificates that the delegate adds to the chain. On macOS, it can also do so with SecTrustSetKeychains.
    public var added: [Certificate] = []
    /// The delegate's anchors (SecTrustSetAnchorCertificates); nil for the system's anchors. With an empty list, no
    /// anchor is trusted.
    public var anchors: [Certificate]?
    /// Whether the delegate's anchors are the only ones (SecTrustSetAnchorCertificatesOnly).
    public var anchorsOnly = true
    /// Whether the files of the anchors are DER. SecCertificateCreateWithData returns NULL for PEM.
    public var areAnchorsDER = true
    /// The date of validation (SecTrustSetVerifyDate); nil for the client's clock.
    public var verifyDate: Instant?
    /// The exceptions for failed checks (SecTrustSetExceptions).
    public var exceptions: TrustExceptions?
    /// Whether the delegate sets a policy without a host (SecPolicyCreateSSL(true, NULL)), which does not compare
    /// names.
    public var leavesOutHost = false

    /// Creates settings with these anchors; nil for the system's anchors.
    public init(anchors: [Certificate]? = nil, anchorsOnly: Bool = true) {
      self.anchors = anchors
      self.anchorsOnly = anchorsOnly
    }

    /// Returns the system's evaluator with these changes.
    func applied(to system: TrustEvaluator) -> TrustEvaluator {
      var own = system
      if let anchors { own.requirements.store = system.requirements.store.settingAnchors(anchors, only: anchorsOnly) }
      if let verifyDate { (own.requirements.date, own.requirements.today) = (verifyDate, system.requirements.date) }
      own.requirements.exceptions = exceptions
      return own
    }
  }

  /// The trust that the delegate evaluates.
  public var subject = Subject.challenge
  /// The changes before evaluation.
  public var settings = Settings()
  /// The function that provides the result.
  public var reading = Reading.evaluate
  /// Whether the delegate checks the status as well as the result.
  public var checksStatus = true
  /// The results that the delegate accepts.
  public var acceptedResults: [SecTrustResultType] = [.proceed, .unspecified]
  /// The public keys with which the delegate compares the path after the evaluation.
  public var pins: [PublicKeyPins] = []
  /// The rules in force for the delegate's own checks; nil for those of the system.
  public var enforcement: Enforcement?
  /// Whether the delegate evaluates the trust on the main thread, on which NSURLConnection calls the delegate.
  public var isOnMainThread = false

  /// Creates an evaluation of the challenge's trust with these settings.
  public init(_ settings: Settings = .init(), pins: [PublicKeyPins] = [], enforcement: Enforcement? = nil) {
    self.settings = settings
    self.pins = pins
    self.enforcement = enforcement
  }

  /// Creates an evaluation with the delegate's own anchors.
  public static func ownAnchors(_ anchors: [Certificate], only: Bool) -> TrustInspection {
    TrustInspection(Settings(anchors: anchors, anchorsOnly: only))
  }

  /// The trust of a challenge: the chain presented for this host, and the system's evaluation.
  public struct Presented: Sendable {
    let chain: [Certificate]
    let host: String
    let evaluator: TrustEvaluator

    /// Creates the trust of a chain that a server for `host` presented.
    public init(_ chain: [Certificate], host: String, _ evaluator: TrustEvaluator) {
      self.chain = chain
      self.host = host
      self.evaluator = evaluator
    }
  }

  /// The results of a delegate's evaluation.
  public struct Report: Sendable {
    /// The delegate's evaluation.
    public let inspection: TrustInspection
    /// The status that the function returned, which is 0 or errSecParam (-50).
    public let status: Int
    /// The result that the delegate used; nil if the function did not return one.
    public let result: SecTrustResultType?
    /// The system's evaluation; nil if there was none.
    public let evaluation: TrustEvaluation?
    /// The findings on pins, and on the delegate's own code.
    public let findings: [Finding]
    /// Whether the delegate accepts the server.
    public let isGood: Bool
    /// The verdict of a library; nil if the delegate evaluates the trust without a library.
    public var library: LibraryVerdict?
  }

  /// Simulates the calls to SecTrust functions for the trust of a challenge. `trust` is nil if the challenge has none.
  func report(on trust: Presented?, method: AuthenticationMethod, os: OSVersion, _ enforcement: Enforcement) -> Report {
    guard let trust, subject == .challenge else { return reportOnNothing(method, os, enforcement) }
    if reading == .read, !os.isAtLeast(iOS: (11, 0), macOS: (10, 13)) || os.family == .documentation {
      return reportUnread(trust, self.enforcement ?? trust.evaluator.diagnostics.enforcement)
    }
    var own = settings.applied(to: trust.evaluator)
    let enforcement = self.enforcement ?? trust.evaluator.diagnostics.enforcement
    own.diagnostics.enforcement = enforcement
    // A policy without a host is still a policy for servers.
    if settings.leavesOutHost { own.requirements.purpose = .server }
    let evaluation = own.evaluate(trust.chain + settings.added, host: settings.leavesOutHost ? nil : trust.host)
    let isTrusted = acceptedResults.contains(evaluation.result)
    // A comparison with the app's pins does not affect the system's result.
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

  /// Reports a result that was requested without an evaluation.
  ///
  /// Since iOS 11, SecTrustGetTrustResult evaluates the trust. In earlier releases, and according to its header, every
  /// change discards the result.
  private func reportUnread(_ trust: Presented, _ enforcement: Enforcement) -> Report {
    let finding = enforcement.check(
      .notEvaluated, on: .host(trust.host), false, required: .word("SecTrustEvaluate after the last change"),
      found: .word(SecTrustResultType.invalid.description))
    return Report(
      inspection: self, status: 0, result: .invalid, evaluation: nil, findings: [finding], isGood: !finding.refuses)
  }

  /// Reports SecTrustEvaluate(NULL, &result), which returns errSecParam.
  ///
  /// Since iOS 11, the result is Invalid. In earlier releases, it is unchanged.
  private func reportOnNothing(_ method: AuthenticationMethod, _ os: OSVersion, _ enforcement: Enforcement) -> Report {
    let writes = os.isAtLeast(iOS: (11, 0), macOS: (10, 13))
    let found = Detail.words(["errSecParam (-50)", writes ? "kSecTrustResultInvalid" : "an unchanged result"])
    let rule = subject == .null ? Rule.nilTrust : .methodNotChecked
    var findings = [
      enforcement.check(
        rule, on: .connection, false, required: .word("the serverTrust of a ServerTrust challenge"), found: found,
        confidence: writes
          ? .certain
          : .unknown(
            "the variable's earlier value, which the delegate reads; TrustLab treats it as a "
              + "failure"))
    ]
    if !checksStatus { findings.append(enforcement.check(.statusIgnored, on: .connection, false, found: found)) }
    return Report(
      inspection: self, status: -50, result: writes ? .invalid : nil, evaluation: nil, findings: findings,
      isGood: findings.allSatisfy { !$0.refuses })
  }
}

extension TrustEvaluation {
  /// Whether the evaluation requested an issuer from the network.
  fileprivate var mayUseNetwork: Bool { findings.contains { $0.rule == .issuerFetched } || wanted != nil }
}
