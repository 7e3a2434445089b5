import Explanation
import URLLoading

/// The recording of everything that happened: messages, decisions, derivations and attacks, in order.
///
/// It is not the transcript, which is the hash of the handshake messages (RFC 5246 section 7.4.9).
public struct Trace: Sendable {
  /// What happened.
  public private(set) var steps: [Step] = []
  /// What parties held before anything happened: private keys.
  public private(set) var held: [Value]
  /// Every value so far by name, with all ways to come by it.
  public private(set) var values: [Value.ID: Value] = [:]
  /// The ends of the messages that each public value came with.
  private var ends: [Value.ID: Set<Party>] = [:]
  /// The names of all values in order of appearance.
  public private(set) var valueNames: [Value.ID] = []
  /// Where each name is among them.
  private var places: [Value.ID: Int] = [:]
  /// The places of the values in the order in which they came to be, or more was told of them.
  public private(set) var mentions: [Int] = []

  /// Whether everyone sees all that is public, as on a blackboard, and not only what it sends or receives.
  public let isShared: Bool

  /// A trace before the first step, where `held` is what parties already have.
  public init(held: [Value] = [], isShared: Bool = false) {
    self.held = held
    self.isShared = isShared
    for value in held { merge(value) }
  }

  /// Appends a step and gives it the next number.
  public mutating func record(_ step: Step) {
    var numbered = step
    numbered.number = steps.count + 1
    steps.append(numbered)
    for value in step.values { merge(value) }
    note(step.values, in: step)
  }

  /// Whether a party sent or received a message that a value came with, or sees all that is public.
  public func hasMet(_ party: Party, _ id: Value.ID) -> Bool {
    isShared || ends[id]?.contains(party) ?? false
  }

  private mutating func note(_ values: [Value], in step: Step) {
    guard step.kind == .message else { return }
    for value in values {
      ends[value.id, default: []].formUnion([step.from, step.carrier].compactMap(\.self))
      // Of a message that was changed everything may have arrived but the message itself.
      let arrives = step.arrival == .whole || step.arrival == .changed && value.bytes != step.bytes
      if arrives, let to = step.to { ends[value.id, default: []].insert(to) }
    }
  }

  /// Hangs findings on the last step.
  public mutating func attach(_ findings: [Finding]) {
    guard let last = steps.indices.last else { return }
    steps[last].findings += findings.filter { !steps[last].findings.contains($0) }
  }

  /// Hangs values on the last step.
  public mutating func attach(_ values: [Value]) {
    guard let last = steps.indices.last else { return }
    steps[last].values += values
    for value in values { merge(value) }
    note(values, in: steps[last])
  }

  /// A secret that became known to the eavesdropper.
  public struct Leak: Sendable, Hashable {
    /// The secret's name.
    public let secret: Value.ID
    /// When it became known.
    public let at: Instant
  }

  /// What leaked, in order of time.
  public var leaks: [Leak] {
    steps.flatMap { step in step.leaked.map { Leak(secret: $0, at: step.at) } }
  }

  /// Where a value is among `valueNames`; nil for one that has not come to be.
  public func place(of id: Value.ID) -> Int? { places[id] }

  private mutating func merge(_ value: Value) {
    guard var known = values[value.id], let place = places[value.id] else {
      values[value.id] = value
      places[value.id] = valueNames.count
      mentions.append(valueNames.count)
      valueNames.append(value.id)
      return
    }
    mentions.append(place)
    for derivation in value.derivations { known.add(derivation) }
    values[value.id] = known
  }
}

/// The fields of a message: of its bytes on the wire, and of what protected bytes say.
public struct Layout: Sendable {
  /// The fields of the bytes on the wire.
  public var fields: [Field] = []
  /// The fields of the plaintext; none where the bytes on the wire say it themselves.
  public var plaintextFields: [Field] = []

  /// These fields.
  public init(fields: [Field] = [], plaintextFields: [Field] = []) {
    self.fields = fields
    self.plaintextFields = plaintextFields
  }

  /// No fields.
  fileprivate static let none = OnDemand(done: Layout())
}

/// One step of a trace.
public struct Step: Sendable {
  /// What kind of thing happened.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case message
    case decision
    case derivation
    case attack
  }

  /// Its place in the trace, from 1.
  public internal(set) var number = 0
  /// When it happened.
  public var at: Instant
  /// The connection it belongs to; nil when there is only one, or when it belongs to none.
  public var connection: String?
  /// Who acted.
  public var from: Party
  /// To whom, for a message.
  public var to: Party?
  /// In a few words what happened: a message's name, or what was decided.
  public var title: String
  /// What kind of thing happened.
  public var kind: Kind
  /// What of a message reaches whom it is for.
  public enum Arrival: Sendable, Hashable {
    /// All of it, as it was sent.
    case whole
    /// Somebody changes it on its way.
    case changed
    /// Nothing.
    case none
  }

  /// What of a message reaches whom it is for.
  public var arrival = Arrival.whole
  /// The place that is asked in a conversation beside the connection, in which the certificate of an issuer is fetched, or
  /// what is known of revocation; nil for what belongs to the connection itself.
  public var fetchedURL: String?
  /// Whether it belongs to such a conversation.
  public var isFetch: Bool { fetchedURL != nil }
  /// Who passes the bytes on without reading them as what they are: a proxy through whose tunnel they travel; nil for nobody.
  public var carrier: Party?
  /// Whether a proxy is asked for a tunnel, or answers that: no bytes of the connection inside (RFC 9110 section 9.3.6).
  public var isAboutTunnel: Bool { kind == .message && title.hasPrefix("CONNECT ") }
  /// Whether its records are protected.
  public var isProtected = false
  /// Whether an eavesdropper sees only ciphertext.
  public var isEncrypted = false
  /// The bytes on the wire.
  public var bytes: [UInt8] = []
  /// What the protected bytes say; empty when nothing is protected.
  public var plaintext: [UInt8] = []
  /// The fields of both, laid out when somebody looks at them: most steps of most runs are only judged.
  private var layout = Layout.none
  /// The fields of `bytes`.
  public var fields: [Field] {
    get { layout.value.fields }
    set { layout = OnDemand(done: Layout(fields: newValue, plaintextFields: plaintextFields)) }
  }
  /// The fields of `plaintext`.
  public var plaintextFields: [Field] { layout.value.plaintextFields }
  /// Values that came to be, or became known to `from`, in this step.
  public var values: [Value] = []
  /// What was held against which rule.
  public var findings: [Finding] = []
  /// Secrets that became known to the eavesdropper.
  public var leaked: [Value.ID] = []
  /// What an attacker did to the message before it; nil for other steps.
  public var interference: Interference?
  /// Who did what and why, in sentences.
  public var narration: String

  /// A step in which `from` acts.
  public init(_ kind: Kind, at: Instant, from: Party, to: Party? = nil, title: String, narration: String) {
    self.kind = kind
    self.at = at
    self.from = from
    self.to = to
    self.title = title
    self.narration = narration
  }

  /// Makes this the step in which `transmission` travels: its bytes, what they say, and the fields of both.
  public mutating func carry(_ transmission: Transmission) {
    isProtected = transmission.isProtected
    isEncrypted = transmission.isEncrypted
    bytes = transmission.bytes
    plaintext = transmission.plaintext
    layout = transmission.layout
  }
}

/// What an attacker did to a message on its way.
public struct Interference: Sendable {
  /// What kind of thing was done.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// It was read, and went on as it was.
    case read
    /// It never arrived.
    case dropped
    /// It never arrived, nor anything after it: its receiver saw the connection end.
    case cut
    /// It arrived a second time.
    case replayed
    /// It arrived changed.
    case altered
    /// After it arrived something made up.
    case injected
    /// An interceptor with both ends in its hands passed on something else.
    case rewritten
    /// There was nothing in it to change: it went on as it was.
    case unaltered
  }

  /// What was done.
  public let kind: Kind
  /// The name of what arrives of it, or after it.
  public let message: MessageName
  /// The bytes as they were sent.
  public let bytes: [UInt8]
  /// The fields of `bytes`.
  public let fields: [Field]

  /// `kind` was done to a message with these bytes and fields; what arrives of it is called `message`.
  public init(_ kind: Kind, message: MessageName, bytes: [UInt8], fields: [Field]) {
    self.kind = kind
    self.message = message
    self.bytes = bytes
    self.fields = fields
  }

  /// Whether the message as it was sent never arrived.
  public var stops: Bool { [.dropped, .cut, .altered].contains(kind) }
  /// Whether something arrived that its sender did not send, or not again.
  public var adds: Bool { [.altered, .replayed, .injected].contains(kind) }
}
