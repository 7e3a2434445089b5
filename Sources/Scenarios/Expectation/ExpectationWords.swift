import Explanation
import Simulator
import TLS
import Trust
import URLLoading

/// The outcome and the run of one connection or of all connections, for comparison with an expectation.
struct Observation: Sendable {
  let outcome: Outcome
  let simulation: Simulation
}

/// A keyword of `expect`: its entry, the observed value, and the comparison of both.
struct ExpectedWord: Sendable {
  let entry: Entry<Expectation>
  /// Returns the observed value in the notation of an expectation; nil if there is none or more than one.
  let observed: @Sendable (Observation) -> Node?
  /// Returns the differences between the expected and the observed value.
  let mismatches: @Sendable (Expectation, Observation) -> [Judgement.Mismatch]
  /// The keywords of the nested map; empty if the value is not a map.
  var parts: [ExpectedWord] = []
}

extension ExpectedWord {
  /// Returns a keyword whose expected value must equal the observed value, both in scenario notation.
  ///
  /// - Parameter unsaid: The expected value if the file omits the keyword; nil if the value is then not checked.
  ///
  /// - Parameter place: The path of a mismatch; by default the keyword itself.
  static func equal<Value: Sendable>(
    _ name: String, _ kind: Kind<Value>, _ meaning: String,
    into path: WritableKeyPath<Expectation, Value?> & Sendable,
    pendingValues: @escaping @Sendable (Expectation) -> Value? = { _ in nil }, place: String? = nil,
    observed: @escaping @Sendable (Outcome) -> Value?, says: @escaping @Sendable (Value) -> String? = { _ in nil }
  ) -> ExpectedWord {
    let seen: @Sendable (Observation) -> Node? = { observed($0.outcome).map(kind.node) }
    return ExpectedWord(entry: .term(name, kind, meaning, into: path, says: says), observed: seen) {
      expectation, observation in
      guard let expected = (expectation[keyPath: path] ?? pendingValues(expectation)).map(kind.written) else {
        return []
      }
      let found = observed(observation.outcome).map(kind.written)
      return expected == found ? [] : [.init(path: place ?? name, expected: expected, found: found ?? "none")]
    }
  }

  /// Returns a keyword with its own comparison function.
  static func judged<Value: Sendable>(
    _ name: String, _ kind: Kind<Value>, _ meaning: String, into path: WritableKeyPath<Expectation, Value> & Sendable,
    by mismatches: @escaping @Sendable (Value, Observation) -> [Judgement.Mismatch],
    says: @escaping @Sendable (Value) -> [String]
  ) -> ExpectedWord where Value: Collection {
    let entry = Entry<Expectation>(
      word: Word(name, kind.shape, meaning),
      read: { reader, model in if let value = kind.read(reader) { model[keyPath: path] = value } },
      isSaid: { !$0[keyPath: path].isEmpty }, sentences: { says($0[keyPath: path]) })
    return ExpectedWord(entry: entry, observed: { _ in nil }) { mismatches($0[keyPath: path], $1) }
  }

  /// Returns the keywords of a nested map, with one description for all of them.
  static func section(
    _ name: String, _ section: Section<Expectation>, _ words: [ExpectedWord], _ meaning: String,
    says: @escaping @Sendable (Expectation) -> [String]
  ) -> ExpectedWord {
    ExpectedWord(
      entry: .section(name, section, meaning, says: says), observed: { _ in nil },
      mismatches: { expectation, observation in words.flatMap { $0.mismatches(expectation, observation) } },
      parts: words)
  }
}

extension Expectation {
  /// The section `expect` of a scenario file.
  static let section = Section(
    "expect", "The expected results. Keys that are left out are not checked.",
    [unreviewedWord] + words.map(\.entry) + [connectionsWord])

  private static let unreviewedWord = Entry<Expectation>.term(
    "unreviewed", .flag, "true if a program wrote these expectations; remove the key after you have reviewed them",
    into: \.isUnreviewed, says: { $0 ? "The following expectations have not been reviewed." : nil })

  /// The keywords with the verdicts of the client and the server.
  static let verdictWords = words.filter { ["verdict", "server"].contains($0.entry.word.name) }

  /// Every keyword of `expect` that is compared with an outcome.
  static let words: [ExpectedWord] = [
    .equal(
      "verdict", .choice(called: "verdict"),
      "the client's decision; default: refused if because or layer is set, else accepted", into: \.verdict,
      pendingValues: { $0.expectedVerdict }, observed: \.verdict.word),
    .equal(
      "layer", .choice(of: Layer.deciding, called: "layer").named("layer"), "the first layer that decided",
      into: \.layer, observed: \.verdict.layer),
    .equal(
      "because", .rules, "the violated rules that decide; the list must be complete", into: \.because,
      observed: { $0.verdict.because.map(\.id) }),
    .equal(
      "overridden", .rules, "the violated rules that were overridden; the list must be complete", into: \.overridden,
      observed: \.overridden, says: { $0.isEmpty ? "Nothing is overridden." : "Overridden: \($0.listed)." }),
    .judged(
      "advised", .rules, "the violated rules that only advise; the list may be incomplete", into: \.advised,
      by: { rules, run in
        let found = run.outcome.findings.filter { $0.outcome == .violated && $0.weight == .advises }.map(\.rule.id)
        let missing = rules.filter { !found.contains($0) }
        return missing.isEmpty
          ? [] : [.init(path: "advised", expected: missing.listed, found: Set(found).sorted().listed)]
      }, says: { $0.isEmpty ? [] : ["Advice: \($0.listed)."] }),
    .equal(
      "asked", .list(.authenticationMethod),
      "the challenges that the app receives, in order: ServerTrust, ClientCertificate, Basic",
      into: \.asked, observed: { $0.challenges.filter(\.isAsked).map(\.challenge.method) },
      says: { "The app's challenges: \($0.isEmpty ? "none" : $0.map(\.rawValue).listed)." }),
    .equal(
      "answers", .list(.givenAnswer),
      "the answers to all challenges in order, including challenges that the app does not receive", into: \.answers,
      observed: { $0.challenges.map(\.answer.name) }, says: { "The answers: \($0.listed)." }),
    .equal(
      "decidedBy", .decidingKey,
      "the key path in the Info.plist that determined the decision of App Transport Security, or default",
      into: \.decidedBy, observed: \.decidedBy, says: { "The deciding key is \($0)." }),
    .equal(
      "appReview", .set(of: .choice(AppTransportSecurity.Key.catalogue.map(\.name), called: "key").named("key")),
      "the keys that the loads depend on and that App Review asks about; the list must be complete", into: \.appReview,
      observed: \.appReview,
      says: { "App Review asks about \($0.isEmpty ? "nothing" : $0.joined(separator: " and "))." }),
    .equal(
      "path", .list(.text), "the certificate path, leaf first", into: \.path, observed: \.path,
      says: { $0.isEmpty ? "There is no path." : "The path is \($0.listed)." }),
    .equal(
      "issuerSources", .list(.choice(called: "source of issuers")),
      "the source of each issuer on the path, beginning with the leaf's issuer", into: \.issuerSources,
      observed: \.issuerSources,
      says: { "The sources of its issuers: \($0.isEmpty ? "none" : $0.map(\.rawValue).listed)." }),
    errorsWord,
    .equal(
      "trustResult",
      .choice(SecTrustResultType.allCases.map(\.description), called: "SecTrustResultType").named("SecTrustResultType"),
      "the SecTrustResultType, such as kSecTrustResultUnspecified", into: \.trustResult, observed: \.trustResult,
      says: { "The trust result is \($0)." }),
    .equal(
      "cipherSuite", Kind<CipherSuite>.cipherSuite.map(\.name), "the negotiated cipher suite",
      into: \.cipherSuite,
      observed: \.cipherSuite, says: { "The cipher suite is \($0)." }),
    .equal(
      "applicationProtocol", .text, "the protocol that ALPN negotiates inside TLS, such as http/1.1, or none",
      into: \.applicationProtocol, observed: { $0.applicationProtocol ?? "none" },
      says: { "The protocol inside TLS is \($0)." }),
    .equal(
      "content", .text, "the response body that the app receives", into: \.content,
      observed: { $0.content.map { String(decoding: $0, as: UTF8.self) } }, says: { "The app receives “\($0)”." }),
    .section("server", serverSection, serverWords, "the server's decision", says: serverSection.sentences),
    .equal(
      "executed", .list(.text), "the requests that the servers carry out, in order, such as 'POST /pay: pay 100'",
      into: \.executed,
      observed: \.executed,
      says: { $0.isEmpty ? "The servers carry out no request." : "The servers carry out: \($0.listed)." }),
    .section(
      "goals", goalsSection, goalWords, "the state of each of the attackers' goals",
      says: { expectation in
        let states = Goal.allCases.compactMap { goal in
          expectation.goals[goal].map { "\(goal.rawValue) \($0.rawValue)" }
        }
        return states.isEmpty ? [] : ["The risks: \(states.listed)."]
      }),
    .judged(
      "knowledge", .knowledge, "the values that each party knows at the end", into: \.knowledge,
      by: { Judge.mismatches($0, in: $1.simulation) }, says: { $0.map(\.sentence) }),
    .judged(
      "values", .valuesByName, "the values by name: numbers or texts in a calculation, otherwise bytes in hexadecimal",
      into: \.values, by: { ValueJudge($1.simulation).mismatches(of: $0) },
      says: { $0.sorted { $0.key < $1.key }.map { "\($0.key) is \($0.value)." } }),
    .judged(
      "equal", .list(.list(.value)), "groups of values that must have the same bytes", into: \.equal,
      by: { groups, run in groups.flatMap { ValueJudge(run.simulation).mismatches(of: $0, areEqual: true) } },
      says: { $0.map { "The same bytes: \($0.map(\.description).listed)." } }),
    .judged(
      "different", .list(.list(.value)), "groups of values that must have different bytes", into: \.different,
      by: { groups, run in groups.flatMap { ValueJudge(run.simulation).mismatches(of: $0, areEqual: false) } },
      says: { $0.map { "Different bytes: \($0.map(\.description).listed)." } }),
    .judged(
      "neverOnWire", .list(.value), "values whose bytes must not appear in any message", into: \.neverOnWire,
      by: { names, run in names.compactMap(ValueJudge(run.simulation).wireMismatch) },
      says: { $0.isEmpty ? [] : ["These values never appear on the wire: \($0.map(\.description).listed)."] }),
    .judged(
      "absent", .list(.value), "values that must not exist in the run", into: \.absent,
      by: { names, run in names.compactMap(ValueJudge(run.simulation).presence(of:)) },
      says: { $0.isEmpty ? [] : ["These values do not exist: \($0.map(\.description).listed)."] }),
  ]

  private static let errorsWord = ExpectedWord(
    entry: .term(
      "errors", .list(.appError),
      "the errors that the app may see, such as NSURLErrorDomain -1200; one match is enough", into: \.errors,
      says: { errors in
        let names = errors.map { $0.name.isEmpty ? $0.description : "\($0.description) (\($0.name))" }
        return names.isEmpty ? nil : "The app sees \(names.joined(separator: " or "))."
      }),
    observed: { Kind.list(.appError).node($0.outcome.errors) },
    mismatches: { expectation, observation in
      let found = observation.outcome.errors
      guard let errors = expectation.errors, Set(errors).isDisjoint(with: found),
        !(errors.isEmpty && (found.isEmpty || observation.outcome.mayEndSilently))
      else { return [] }
      let kind = Kind.list(.appError)
      return [.init(path: "errors", expected: "any of \(kind.written(errors))", found: kind.written(found))]
    })

  static let serverSection = Section(
    "server expectation", "The server's expected decision.", serverWords.map(\.entry))

  private static let serverWords: [ExpectedWord] = [
    .equal(
      "verdict", .choice(called: "verdict"), "whether the server carries out a request", into: \.serverVerdict,
      place: "server.verdict", observed: \.server.word, says: { "The server's verdict is \($0.rawValue)." }),
    .equal(
      "because", .rules, "the violated rules that decide; the list must be complete", into: \.serverBecause,
      place: "server.because",
      observed: { $0.server.because.map(\.id) },
      says: { $0.isEmpty ? nil : "The server refuses because of \($0.listed)." }),
    .equal(
      "attempts", .integer(0...1000), "the number of requests with a name and a password that the server has checked",
      into: \.serverAttempts, place: "server.attempts", observed: \.attemptsToAuthenticate,
      says: { "The server checks \($0) \($0 == 1 ? "name and password" : "names and passwords")." }),
    .equal(
      "locked", .flag, "whether the server has locked an account", into: \.serverLocked, place: "server.locked",
      observed: { $0.attemptsToAuthenticate == nil ? nil : !$0.lockedAccounts.isEmpty },
      says: { $0 ? "The server has locked an account." : "The server has locked no account." }),
  ]

  static let goalsSection = Section(
    "goals", "The attackers' three goals. Each is prevented, detected, possible, later or not-applicable.",
    goalWords.map(\.entry))

  private static let goalWords: [ExpectedWord] = [
    goalWord(.eavesdropping, "whether a third party can learn the content"),
    goalWord(.tampering, "whether a third party can change the content unnoticed"),
    goalWord(.impersonation, "whether a third party can impersonate the server"),
  ]

  private static func goalWord(_ goal: Goal, _ meaning: String) -> ExpectedWord {
    .equal(
      goal.rawValue, .choice(called: "state"), meaning, into: \.goals[goal], place: "goals.\(goal.rawValue)",
      observed: { $0.goals[goal] })
  }

  static let knowledgeSection = Section<KnowledgeExpectation>(
    "knowledge", "The values that a party knows at the end, by name.",
    [
      .term("knows", .list(.value), "the values that the party has or can compute", into: \.knows),
      .term("lacks", .list(.value), "the values that the party neither has nor can compute", into: \.lacks),
    ])

  /// The expectations of individual connections. Each is compared with its connection, not with the whole run.
  private static let connectionsWord = Entry<Expectation>(
    word: Word(
      "connections", .named(.section("expect")), "the expected results of single connections, by the connections' names"
    ),
    read: { reader, model in
      let all = reader.named { name, _, reader in reader.expectation().map { (name, $0) } }
      model.connections = Dictionary(all) { first, _ in first }
    },
    isSaid: { !$0.connections.isEmpty },
    sentences: { expectation in
      expectation.connections.sorted { $0.key < $1.key }.flatMap { name, part in
        part.sentences.map { "\(name): \($0)" }
      }
    })
}

extension Expectation {
  /// Whether the expectation is only about individual connections.
  var saysNothing: Bool { !connections.isEmpty && !Self.words.contains { $0.entry.isSaid(self) } }

  /// The expectation in sentences. The first sentence gives the verdict with its layer and rules.
  public var sentences: [String] { [verdictSentence] + Self.section.sentences(on: self) }

  private var verdictSentence: String {
    switch verdict ?? .accepted {
    case .accepted: return "The client must accept."
    case .hangs: return "The client must hang\(reason)"
    case .notApplicable: return "There must be no connection to decide about."
    case .refused: return "The client must refuse\(reason)"
    }
  }

  /// The layer and the rules that decide, with a final period.
  private var reason: String {
    let layer = layer.map { " by the layer \($0.rawValue)" } ?? ""
    let rules = (because ?? []).map { id in
      RuleCatalogue.rule(id).map {
        "\(id) (the rule: \($0.statement.hasSuffix(".") ? String($0.statement.dropLast()) : $0.statement))"
      } ?? id
    }
    return layer + (rules.isEmpty ? "." : ", because of \(rules.listed).")
  }
}

extension Expectation.KnowledgeExpectation {
  fileprivate var sentence: String {
    let knows = knows.isEmpty ? nil : "must know \(knows.map(\.description).listed)"
    let lacks = lacks.isEmpty ? nil : "must not learn \(lacks.map(\.description).listed)"
    let name = [.client, .server, .eavesdropper].contains(party) ? "The \(party.name)" : party.name
    return "\(name) \([knows, lacks].compactMap { $0 }.joined(separator: " and "))."
  }
}

extension [String] {
  /// The items of the list, separated by commas.
  var listed: String { joined(separator: ", ") }
}

extension Kind {
  /// A list of ids of rules that apply to connections, in any order.
  static var rules: Kind<[String]> {
    .set(of: Kind<String>.choice(RuleCatalogue.idsOfConnections, called: "rule").named("rule"))
  }

  /// The key path that determines the App Transport Security decision.
  ///
  /// It is a current or former key, an exception domain, or a key of an exception domain.
  static var decidingKey: Kind<String> {
    Kind<String>(.text) { reader in
      guard let text = reader.text() else { return nil }
      let known = ["default"] + AppTransportSecurity.Key.catalogue.filter(\.isKey).map(\.name)
      let domains = "NSExceptionDomains."
      // The exception's key follows the domain. If there is no key, the exception itself decides.
      let last = text.split(separator: ".").last.map(String.init) ?? text
      let key = text.hasPrefix(domains) ? (last.hasPrefix("NS") ? last : nil) : text
      guard let key, !known.contains(key) else { return text }
      let path = text.dropLast(key.count)
      let nearest = Spelling.nearest(to: key, among: known).map { "did you mean '\(path)\($0)'?" }
      reader.fail(
        "App Transport Security has no key '\(key)'",
        hint: nearest ?? "write default, a key such as NSAllowsArbitraryLoads, or \(domains)api.example")
      return nil
    }
  }

  /// An error that an app may see.
  static var appError: Kind<AppError> {
    Kind<AppError>(.kind("error", .either([.choice(AppError.all.map(\.description)), .text]))) { reader in
      guard let text = reader.text() else { return nil }
      guard let error = AppError(text) else {
        reader.fail(
          "'\(text)' is not an error that an app can see",
          hint: AppError.meant(by: text).map { "write \($0)" }
            ?? "write NSURLErrorDomain -1200; 'trustlab list errors' prints all errors")
        return nil
      }
      return error
    }
  }

  /// The name of a value, optionally with the prefix of its connection. An editor completes the name without a prefix.
  static var value: Kind<ValueName> {
    let known = ValueEntry.all.map(\.name.description)
    return Kind<ValueName>(.kind("value", .either([.choice(known), .text])), written: \.description) { reader in
      reader.text().map(ValueName.init)
    }
  }

  /// A map from the names of values to numbers, texts or bytes.
  static var valuesByName: Kind<[ValueName: String]> {
    Kind<[String: String]>.named(.text).map { values in
      Dictionary(uniqueKeysWithValues: values.map { (ValueName($0.key), $0.value) })
    }
  }

  /// The knowledge of participants, by participant name.
  static var knowledge: Kind<[Expectation.KnowledgeExpectation]> {
    let section = Expectation.knowledgeSection
    return Kind<[Expectation.KnowledgeExpectation]>(.named(.section(section.name))) { reader in
      reader.named { name, mark, reader in
        var model = Expectation.KnowledgeExpectation(party: Party(name), mark: mark)
        return reader.read(section, into: &model) == nil ? nil : model
      }
    }
  }
}

extension NodeReader {
  /// Reads an `expect:` section.
  func expectation() -> Expectation? {
    var expectation = Expectation()
    guard read(Expectation.section, into: &expectation) != nil else { return nil }
    if expectation.verdict == .accepted, expectation.because?.isEmpty == false || expectation.layer != nil {
      fail(
        "an accepted connection has no deciding layer and no refusing rule",
        hint: "remove 'layer' and 'because'; list overridden rules under 'overridden'")
    }
    checkLayer(of: expectation)
    return expectation
  }

  /// Reports impossible expectations: a layer without a decision, or a layer that is not that of the expected rules.
  private func checkLayer(of expectation: Expectation) {
    let because = expectation.because ?? []
    if expectation.verdict == .notApplicable, expectation.layer != nil || !because.isEmpty {
      let key = expectation.layer == nil ? "because" : "layer"
      sink.error(
        "if there is no connection to judge, no layer or rule can decide",
        hint: "remove 'layer' and 'because', or write verdict: refused", at: node[key]?.mark ?? mark(of: key))
      return
    }
    let rules = because.compactMap(RuleCatalogue.rule)
    guard let layer = expectation.layer, let first = rules.map(\.layer).min(), layer != first else { return }
    let rule = rules.first { $0.layer == first }?.id ?? ""
    sink.error(
      "the deciding layer cannot be \(layer.rawValue): the rule '\(rule)' is in the layer \(first.rawValue)",
      hint: "write layer: \(first.rawValue)",
      at: node["layer"]?.mark ?? mark(of: "layer"))
  }
}
