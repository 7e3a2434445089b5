import Explanation
import PKIX
import Trust

/// What a library decided about a server, and how it came to it.
public struct LibraryVerdict: Sendable {
  /// The steps in order.
  public internal(set) var steps: [LibraryStep]
  /// Whether it accepts the server.
  public internal(set) var accepts: Bool
  /// How it answers the challenge; nil where it leaves the answer to the app's own delegate.
  public internal(set) var answer: DelegateCall?
  /// The last evaluation that it made; nil where it made none.
  public internal(set) var evaluation: TrustEvaluation?
  /// The trust as the library leaves it: what the system goes by where it is to decide after all.
  public internal(set) var trust: TrustObject
  /// The reason of the refusal, as the library names it; nil if it has none.
  public internal(set) var reason: Reason?
  /// The error that the library reports in the place of the loader's.
  public internal(set) var error: AppError?
  /// What it reports to its servers; nil where it reports nothing.
  public internal(set) var report: PinFailureReport?
  /// Rules of the evaluation that a finding of the library's own says better.
  public internal(set) var explained: Set<Rule> = []

  /// How a library names the result of its evaluation.
  public enum Reason: Sendable, Hashable {
    /// Alamofire's AFError.
    case alamofire(Alamofire.FailureReason)
    /// TrustKit's TSKTrustEvaluationResult.
    case trustKit(TrustKit.Result)

    /// Its constant: `publicKeyPinningFailed`.
    public var constant: String {
      switch self {
      case .alamofire(let reason): reason.rawValue
      case .trustKit(let result): result.constant
      }
    }
  }

  /// Whether a finding of the library's own stands for one of its evaluation: it says better what the evaluation found,
  /// or the library went past the result.
  func decides(insteadOf rule: Rule) -> Bool {
    explained.contains(rule) || findings.deciding.contains { ![.untrustedPath, .untrustedByPins].contains($0) }
  }

  /// What was found on pins, in order.
  public var findings: [Finding] { steps.flatMap(\.findings) }
}

/// A certificate that an app brings along for its library.
public struct PinnedFile: Sendable, Hashable {
  /// What findings call it: `api`.
  public let name: String
  /// The certificate; nil where the file is no DER.
  public let certificate: Certificate?

  /// A certificate of this name.
  public init(_ name: String, _ certificate: Certificate?) {
    self.name = name
    self.certificate = certificate
  }
}

/// A library at work on one trust: what it has done so far.
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

  /// The library has done something.
  mutating func step(_ event: LibraryEvent, _ findings: [Finding] = []) {
    steps.append(LibraryStep(library: library, event: event, findings: findings))
  }

  /// The library has done this before anything else.
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

  /// Whether the trust is good: SecTrustEvaluate says Proceed or Unspecified.
  mutating func isValid() -> Bool {
    let isNew = trust.evaluation == nil
    let result = trust.evaluate()
    evaluation = result
    if isNew || !steps.contains(where: \.isEvaluation) {
      step(.evaluated(result.result, path: pathNames(), violated: result.deciding))
    }
    return result.accepted
  }

  /// The path as it stands; reading it evaluates a trust that was not evaluated yet.
  mutating func path() -> [Certificate] {
    let path = trust.path()
    if let result = trust.evaluation { evaluation = result }
    return path
  }

  /// What findings call the certificates of the path.
  mutating func pathNames() -> [String] { trust.path().map { names($0) } }

  func found(
    _ rule: Rule, _ holds: Bool = false, required: Detail = .none, found: Detail = .none,
    confidence: Finding.Confidence = .certain
  ) -> Finding {
    enforcement.check(rule, on: subject, holds, required: required, found: found, confidence: confidence)
  }

  /// Something that the library's settings let pass.
  func letPass(_ rule: Rule, found word: String, confidence: Finding.Confidence = .certain) -> Finding {
    found(rule, found: .word(word), confidence: confidence).overridden(by: .delegate)
  }

  func note(_ rule: Rule, _ outcome: Finding.Outcome, found: Detail = .none) -> Finding {
    enforcement.note(rule, on: subject, outcome, found: found)
  }

  /// The evaluation that comes before the pins has failed.
  mutating func untrustedPath(enforcesPinning: Bool? = nil) {
    let rules = (evaluation?.deciding ?? []).map(\.id)
    step(
      .skippedPins(enforcesPinning: enforcesPinning),
      [
        found(.untrustedPath, required: .anyOf(["Proceed", "Unspecified"]), found: .words(rules)),
        note(.pathPinMismatch, .notEvaluated),
      ])
  }

  /// A path that does not lead to a pinned certificate, with `pins` as its only anchors.
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

  /// Whether a certificate of `path`, or its key, is pinned.
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

  /// There is no pin to compare with.
  mutating func refuseWithoutPins(_ reason: Alamofire.FailureReason? = nil) {
    step(
      .foundNoPins(reason), [found(.noPins, required: .word("a pinned certificate in DER"), found: .absent)])
  }

  /// The setting of this name accepts every server.
  mutating func acceptEverything(by setting: String) {
    step(.acceptedEverything, [letPass(.acceptsEverything, found: setting)])
  }

  /// The verdict that the run has come to.
  func verdict(_ accepts: Bool, _ answer: DelegateCall?) -> LibraryVerdict {
    LibraryVerdict(
      steps: steps, accepts: accepts, answer: answer, evaluation: evaluation, trust: trust, explained: explained)
  }
}

extension [Certificate] {
  /// How many pairs of a certificate here and a key there are equal: duplicates count each time.
  func pairs(with keys: [Certificate]) -> Int {
    reduce(0) { count, certificate in
      count + keys.filter { $0.subjectPublicKeyInfo == certificate.subjectPublicKeyInfo }.count
    }
  }

  /// Whether one of them is byte for byte among `pins`.
  func hasOne(of pins: [Certificate]) -> Bool {
    contains { certificate in pins.contains { $0.der == certificate.der } }
  }
}
