import Explanation
import PKIX
import Trust

/// A library's decision about a server, with the steps that led to it.
public struct LibraryVerdict: Sendable {
  /// The steps in order.
  public internal(set) var steps: [LibraryStep]
  /// Whether the library accepts the server.
  public internal(set) var accepts: Bool
  /// The response to the challenge; nil if the library leaves it to the app's own delegate.
  public internal(set) var answer: DelegateCall?
  /// The last evaluation of the trust; nil if there was none.
  public internal(set) var evaluation: TrustEvaluation?
  /// The trust with the library's settings. The system uses it if the library leaves the decision to the system.
  public internal(set) var trust: TrustObject
  /// The library's own reason for the refusal; nil if it does not report one.
  public internal(set) var reason: Reason?
  /// The error that the library reports instead of the loader's error.
  public internal(set) var error: AppError?
  /// The report to the library's servers; nil if there is none.
  public internal(set) var report: PinFailureReport?
  /// The rules of the evaluation for which a finding of the library is a better explanation.
  public internal(set) var explained: Set<Rule> = []

  /// A library's name for the result of its evaluation.
  public enum Reason: Sendable, Hashable {
    /// Alamofire's AFError.
    case alamofire(Alamofire.FailureReason)
    /// TrustKit's TSKTrustEvaluationResult.
    case trustKit(TrustKit.Result)

    /// The name of the reason's constant, such as `publicKeyPinningFailed`.
    public var constant: String {
      switch self {
      case .alamofire(let reason): reason.rawValue
      case .trustKit(let result): result.constant
      }
    }
  }

  /// Returns whether a finding of the library replaces a finding of its evaluation.
  ///
  /// This is the case if the library's finding is a better explanation, or if the library ignored the result.
  func decides(insteadOf rule: Rule) -> Bool {
    explained.contains(rule) || findings.deciding.contains { ![.untrustedPath, .untrustedByPins].contains($0) }
  }

  /// The findings on pins, in order.
  public var findings: [Finding] { steps.flatMap(\.findings) }
}

/// A certificate file that an app contains for its library.
public struct PinnedFile: Sendable, Hashable {
  /// The name of the file in findings, such as `api`.
  public let name: String
  /// The certificate; nil if the file is not DER.
  public let certificate: Certificate?

  /// Creates a file with a name and its certificate.
  public init(_ name: String, _ certificate: Certificate?) {
    self.name = name
    self.certificate = certificate
  }
}

/// The state of a library's evaluation of one trust.
struct LibraryRun {
  let library: LibraryVersion
  let host: String
  let enforcement: Enforcement
  private let names: CertificateNames
  var trust: TrustObject
  private var steps: [LibraryStep] = []
  private var evaluation: TrustEvaluation?
  var explained: Set<Rule> = []

  init(_ library: LibraryVersion, _ trust: TrustObject, host: String) {
    self.library = library
    self.host = host
    self.trust = trust
    enforcement = trust.system.diagnostics.enforcement
    names = trust.system.diagnostics.names
  }

  private var subject: Finding.Subject { .host(host) }

  /// Adds an action and its findings.
  mutating func step(_ event: LibraryEvent, _ findings: [Finding] = []) {
    steps.append(LibraryStep(library: library, event: event, findings: findings))
  }

  /// Adds a step that occurred before the evaluation.
  mutating func add(_ step: LibraryStep) { steps.append(step) }

  /// SecTrustSetPolicies.
  mutating func set(_ policy: TrustObject.Policy) {
    trust.set(policy)
    step(.setPolicy(policy))
  }

  /// SecTrustSetAnchorCertificates.
  mutating func setAnchors(_ files: [PinnedFile]) {
    trust.set(anchors: files.compactMap(\.certificate))
    step(.setAnchors(files.map(\.name)))
  }

  /// Returns whether the trust is valid, which means that SecTrustEvaluate returns Proceed or Unspecified.
  mutating func isValid() -> Bool {
    let isNew = trust.evaluation == nil
    let result = trust.evaluate()
    evaluation = result
    if isNew || !steps.contains(where: \.isEvaluation) {
      step(.evaluated(result.result, path: pathNames(), violated: result.deciding))
    }
    return result.accepted
  }

  /// Returns the current path. If the trust has not been evaluated yet, this evaluates it.
  mutating func path() -> [Certificate] {
    let path = trust.path()
    if let result = trust.evaluation { evaluation = result }
    return path
  }

  /// Returns the names of the path's certificates in findings.
  mutating func pathNames() -> [String] { trust.path().map { names($0) } }

  func found(
    _ rule: Rule, _ holds: Bool = false, required: Detail = .none, found: Detail = .none,
    confidence: Finding.Confidence = .certain
  ) -> Finding {
    enforcement.check(rule, on: subject, holds, required: required, found: found, confidence: confidence)
  }

  /// Creates a finding for a violation that the library's settings ignore.
  func letPass(_ rule: Rule, found word: String, confidence: Finding.Confidence = .certain) -> Finding {
    found(rule, found: .word(word), confidence: confidence).overridden(by: .delegate)
  }

  func note(_ rule: Rule, _ outcome: Finding.Outcome, found: Detail = .none) -> Finding {
    enforcement.note(rule, on: subject, outcome, found: found)
  }

  /// Records that the evaluation before the pins has failed.
  mutating func untrustedPath(enforcesPinning: Bool? = nil) {
    let rules = (evaluation?.deciding ?? []).map(\.id)
    step(
      .skippedPins(enforcesPinning: enforcesPinning),
      [
        found(.untrustedPath, required: .anyOf(["Proceed", "Unspecified"]), found: .words(rules)),
        note(.pathPinMismatch, .notEvaluated),
      ])
  }

  /// Records that the path does not lead to a pinned certificate when `pins` are its only anchors.
  mutating func refuseAnchor(_ pins: [PinnedFile]) {
    let rules = trust.evaluation?.deciding ?? []
    step(
      .checkedAnchor(isPinned: false),
      [
        found(
          .untrustedByPins(because: rules), required: .anyOf(pins.map(\.name)), found: .words(rules.map(\.id)))
      ])
    explained = [.noAnchor, .noIssuer, .selfSigned]
  }

  /// Returns whether a certificate of `path`, or its key, is pinned.
  mutating func compare(_ path: [Certificate], with pins: [PinnedFile], byKey: Bool) -> Bool {
    let certificates = pins.compactMap(\.certificate)
    let matches = byKey ? path.pairs(with: certificates) > 0 : path.hasOne(of: certificates)
    let suffix = byKey ? ".key" : ""
    step(
      .comparedPins(byKey: byKey, matches: matches),
      [
        found(
          .pathPinMismatch, matches, required: .anyOf(pins.map { $0.name + suffix }),
          found: .words(path.map { names($0) + suffix }))
      ])
    return matches
  }

  /// Records that there is no pin to compare with.
  mutating func refuseWithoutPins(_ reason: Alamofire.FailureReason? = nil) {
    step(
      .foundNoPins(reason), [found(.noPins, required: .word("a pinned certificate in DER"), found: .absent)])
  }

  /// Records that the setting with this name accepts every server.
  mutating func acceptEverything(by setting: String) {
    step(.acceptedEverything, [letPass(.acceptsEverything, found: setting)])
  }

  /// Creates the verdict after all steps.
  func verdict(_ accepts: Bool, _ answer: DelegateCall?) -> LibraryVerdict {
    LibraryVerdict(
      steps: steps, accepts: accepts, answer: answer, evaluation: evaluation, trust: trust, explained: explained)
  }
}

extension [Certificate] {
  /// Returns the number of pairs of equal certificates here and in `keys`. Duplicates are counted each time.
  func pairs(with keys: [Certificate]) -> Int {
    reduce(0) { count, certificate in
      count + keys.filter { $0.subjectPublicKeyInfo == certificate.subjectPublicKeyInfo }.count
    }
  }

  /// Returns whether a certificate equals one of `pins`, byte by byte.
  func hasOne(of pins: [Certificate]) -> Bool {
    contains { certificate in pins.contains { $0.der == certificate.der } }
  }
}
