import Endpoint
import Explanation
import Simulator
import TLS

/// The acting party, in the words with which a title begins: `client`, `the client`.
struct Actor: CustomStringConvertible {
  let party: Party
  let description: String

  init(_ party: Party, _ words: String) {
    self.party = party
    description = words
  }

  /// Creates an actor with an article: `the client`.
  init(the party: Party) { self.init(party, "the \(party)") }

  /// Creates an actor with only the name of the party: `client`.
  init(named party: Party) { self.init(party, party.inSentence) }

  static let client = Actor(the: .client)
  static let server = Actor(the: .server)
  static let interceptor = Actor(the: .interceptor)
}

extension Party {
  private static let roles: Set<Party> = [.client, .server, .eavesdropper, .interceptor, .proxy]

  /// The name in a sentence: a role has an article, a proper name has none.
  var inSentence: String { Self.roles.contains(self) ? "the \(name)" : name }
}

/// The words for an event: a title of a few words, and the reasons in sentences.
struct EventWords {
  /// The acting party if the title begins with it; nil otherwise.
  let actor: Actor?
  /// The part of the title after the actor.
  let predicate: String
  let narration: String

  init(_ title: String, _ narration: String = "") {
    (actor, predicate, self.narration) = (nil, title, narration)
  }

  /// Creates the words for an event whose title begins with `actor`.
  init(_ actor: Actor, _ predicate: String, _ narration: String = "") {
    (self.actor, self.predicate, self.narration) = (actor, predicate, narration)
  }

  var title: String { (actor.map { "\($0) " } ?? "") + predicate }
}

extension Step {
  /// The event in a few words: the name of a message or a decision.
  public var title: String { words.title }

  /// The event and its reason in sentences.
  public var narration: String { words.narration }

  /// Whether the title begins with the acting party.
  var titleNamesActor: Bool { words.actor?.party == from }

  /// Whether the app receives the content in this step, so that the load succeeds.
  var isReceived: Bool {
    if case .decided(.load(.received), by: _) = event { true } else { false }
  }

  /// The words for the event.
  var words: EventWords {
    switch event {
    case .sent(let transmission, let message):
      EventWords(transmission.name.description, MessageWords(transmission, message, by: from).narration)
    case .fetchRequested(let fetch, let certificate): FetchWords.request(fetch, for: certificate)
    case .fetchAnswered(let content, let authority, let status): FetchWords.response(content, by: authority, status)
    case .olderStatus(let url, let seconds): FetchWords.olderStatus(at: url, by: seconds)
    case .fetchFailed(let fetch, let isBlocked): FetchWords.failure(of: fetch, isBlocked: isBlocked)
    case .issuerFetched(let url): FetchWords.issuerFetched(from: url)
    case .computed(let values): ComputationWords.words(for: values, by: from)
    case .decided(let event, let speaker): event.words(by: speaker)
    case .attacked(let attack, let applies): attack.words(applies: applies)
    case .responseRewritten: AttackWords.responseRewritten
    case .oracleAsked(let attack): AttackWords.oracle(attack)
    case .paddingForged(let attack, let suite): AttackWords.padding(attack, suite)
    case .leaked(let content, let date): AttackWords.leak(of: content, at: date)
    case .disclosed(let secret): AttackWords.disclosure(of: secret)
    case .audited(let audit, let part): AuditWords(audit).words(for: part, by: from)
    case .calculated(let event): event.words(by: from)
    case .recordingEnded(let failure, let side, let finding): RecordingWords.end(failure, side, finding)
    }
  }
}

extension DecisionEvent {
  /// Returns the words for a decision of an endpoint.
  func words(by speaker: StepEvent.Speaker) -> EventWords {
    switch self {
    case .load(let event): event.words(client: speaker == .interceptorAsClient ? Self.asClient : .client)
    case .trust(let event):
      event.words(
        client: speaker == .interceptorAsClient ? Self.asClient : .client,
        server: speaker == .interceptorAsServer ? Self.asServer : .server)
    case .challenge(let event): event.words
    case .library(let step): step.words
    case .server(let event): event.words(server: speaker == .interceptorAsServer ? Self.asServer : .server)
    case .probe(let event): event.words
    }
  }

  private static let asClient = Actor(.interceptor, "the interceptor, as a client,")
  private static let asServer = Actor(.interceptor, "the interceptor, as a server,")
}

/// The words for values that a party computes.
enum ComputationWords {
  static func words(for values: [Value], by party: Party) -> EventWords {
    EventWords(
      Actor(named: party), predicate(for: values, by: party),
      values.prefix(3).map { sentence(on: $0, by: party) }.joined(separator: " "))
  }

  /// Returns the end of the title: `computes master_secret, key_block and 4 more`.
  private static func predicate(for values: [Value], by party: Party) -> String {
    let names = values.map(\.id)
    let shown = names.prefix(2).joined(separator: ", ")
    let isOwn = values.allSatisfy { $0.derivations.contains(.generated(by: party)) }
    let verb = isOwn ? (values.allSatisfy(\.isIdentityFile) ? "creates" : "generates") : "computes"
    return "\(verb) \(shown)" + (names.count > 2 ? " and \(names.count - 2) more" : "")
  }

  /// Returns a sentence about the derivation of a value.
  private static func sentence(on value: Value, by party: Party) -> String {
    if value.derivations.contains(.generated(by: party)), value.isIdentityFile {
      return
        "\(value.id) contains a private key that \(party.inSentence) generated and its certificate, encrypted with a "
        + "passphrase."
    }
    if value.derivations.contains(.generated(by: party)) { return "\(value.id) is generated by \(party.inSentence)." }
    for case .computed(let method, let inputs) in value.derivations.reversed() {
      let sources = inputs.isEmpty ? "" : ", from \(inputs.joined(separator: ", "))"
      return "\(value.id) = \(method)\(sources)\(method.needsQuantumComputer ? ", not carried out" : "")."
    }
    return "\(value.id)."
  }
}

extension Value {
  /// Whether the value is a PKCS #12 file that is sent to a client.
  fileprivate var isIdentityFile: Bool { id.kind == .identityFile }
}

extension Rule {
  /// The statement of the rule as the reason of a refusal.
  var violation: String { "Violated: \(statement)" }
}
