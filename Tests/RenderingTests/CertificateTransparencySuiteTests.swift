import Cryptography
import Explanation
import Foundation
import Laboratory
import Oracles
import PKIX
import Testing
import URLLoading

@testable import Rendering
@testable import Trust

/// Cases about SCTs, logs and policies that Apple, Google, Chromium and others wrote, as JSON.
struct TransparencyCase: Sendable {
  let json: JSONValue
  let suite: JSONValue

  static let files = SharedData.names(in: "suites").filter { $0.hasPrefix("ct_") && $0.hasSuffix(".json") }

  static func all(_ name: String) throws -> [TransparencyCase] {
    let suite = try JSONValue(reading: SharedData.bytes("suites/\(name)"))
    guard case .array(let cases)? = suite["testcases"] else { return [] }
    return cases.map { TransparencyCase(json: $0, suite: suite) }
  }

  func text(_ name: String) -> String? { if case .string(let text)? = json[name] { text } else { nil } }
  func flag(_ name: String) -> Bool? { if case .boolean(let flag)? = json[name] { flag } else { nil } }
  func number(_ name: String) -> Int? { if case .integer(let number)? = json[name] { number } else { nil } }
  func list(_ name: String) -> [JSONValue] { if case .array(let list)? = json[name] { list } else { [] } }
  func bytes(_ name: String) throws -> [UInt8]? { try text(name).map(Base64.decode) }
  func certificate(_ name: String) throws -> Certificate? { try bytes(name).map(Certificate.init) }
  func certificates(_ name: String) throws -> [Certificate] {
    try list(name).map { try Certificate(der: TransparencyCase.bytes($0)) }
  }
  static func bytes(_ json: JSONValue) throws -> [UInt8] {
    guard case .string(let text) = json else { return [] }
    return try Base64.decode(text)
  }
  static func string(_ json: JSONValue?) -> String? { if case .string(let text)? = json { text } else { nil } }
  static func instant(_ json: JSONValue?) -> Instant? {
    string(json).flatMap { text in Instant(text.contains(".") ? text.prefix { $0 != "." } + "Z" : text) }
  }

  var id: String { text("id") ?? "" }
  var kind: String { text("kind") ?? "" }
  var expected: JSONValue { json["expected"] ?? .null }
  var now: UInt64 { UInt64(number("timeMs") ?? 0) }
  var instant: Instant { TransparencyCase.instant(json["time"]) ?? Instant(secondsSince1970: 0) }

  /// The logs of the case, of its file, or of the log list that it names.
  func logs() throws -> [TransparencyLog] {
    var entries = list("logs")
    if entries.isEmpty, case .array(let common)? = suite["logs"] { entries = common }
    if let name = text("logList"), case .array(let named)? = suite["logLists"]?[name] { entries = named }
    return try entries.compactMap { entry in
      guard let key = entry["key"] else { return nil }
      let publicKey = try PublicKey(subjectPublicKeyInfo: TransparencyCase.bytes(key))
      var log = TransparencyLog(
        TransparencyCase.string(entry["description"]) ?? "", operator: TransparencyCase.string(entry["operator"]) ?? "",
        key: publicKey,
        id: try entry["id"].map(TransparencyCase.bytes) ?? TransparencyLog.id(of: publicKey.subjectPublicKeyInfo))
      if let date = TransparencyCase.instant(entry["frozen"]) { log.state = .readonly(date) }
      if let date = TransparencyCase.instant(entry["expiry"]) { log.state = .retired(date) }
      if let start = TransparencyCase.instant(entry["start_inclusive"]),
        let end = TransparencyCase.instant(entry["end_exclusive"])
      {
        log.interval = (start, end)
      }
      return log
    }
  }

  private func entry() throws -> LogEntry? {
    let chain = try certificates("intermediates")
    if text("entryType") == "precert" || flag("embedded") == true {
      if let tbs = try bytes("entry"), let hash = try bytes("issuerKeyHash") {
        return .precertificate(issuerKeyHash: hash, tbsCertificate: tbs)
      }
      guard let certificate = try certificate("certificate") else { return nil }
      if certificate.isPrecertificate { return LogEntry(of: certificate, chain: chain) }
      return try (chain.first ?? self.certificate("issuer")).flatMap { LogEntry(embeddedIn: certificate, issuer: $0) }
    }
    return .x509(try bytes("entry") ?? bytes("certificate") ?? [])
  }

  /// Our result in the suite's words; several if the suite has synonyms.
  func actual() throws -> [JSONValue] {
    switch kind {
    case "sct-verify": return try verified()
    case "sct-parse":
      return [(try? SignedCertificateTimestamp(bytes: bytes("bytes") ?? [])) == nil ? "reject" : "accept"]
    case "digitally-signed": return [(try? DigitallySigned(bytes: bytes("bytes") ?? [])) == nil ? "reject" : "accept"]
    case "sct-list":
      let octets = try bytes("bytes") ?? []
      let list =
        text("form") == nil
        ? try? SignedCertificateTimestampList(bytes: octets)
        : try? SignedCertificateTimestampList(extensionValue: octets)
      return [list == nil ? "reject" : "accept"]
    case "der-octet-string":
      // The bytes around a list: a list of one item replaces other contents.
      let octets = try bytes("bytes") ?? []
      let isString = octets.first == 4 && octets.count == 2 + Int(octets.dropFirst().first ?? 0)
      return [isString ? "accept" : "reject"]
    case "sct-delivery": return [try delivered()]
    case "embedded-scts": return [try embedded()]
    case "log-entry": return [try rebuilt() ? "accept" : "reject"]
    case "precert-tbs":
      return [.string(Base64.encode(try certificate("certificate")?.tbsCertificate(removing: .sctList) ?? []))]
    case "entry-encoding": return [.string(Base64.encode(try entry()?.bytes ?? []))]
    case "signature-input":
      let timestamp = SignedCertificateTimestamp(
        logID: [], timestamp: UInt64(number("timestampMs") ?? 0),
        signature: DigitallySigned(algorithm: SignatureAndHashAlgorithm(.ecdsaSHA256), signature: []))
      return [.string(Base64.encode(try entry().map(timestamp.signedOctets) ?? []))]
    case "leaf-hash":
      let timestamp = try SignedCertificateTimestamp(bytes: bytes("sct") ?? [])
      let hash = try entry()?.leafHash(timestamp: timestamp.timestamp, extensions: timestamp.extensions) ?? []
      return [Base64.encode(hash) == text("leafHash") ? "accept" : "reject"]
    case "contains-sct":
      let items = try certificate("certificate")?.embeddedSCTs?.items ?? []
      return [.boolean(items.contains(try bytes("sct") ?? []))]
    case "ocsp-scts": return [try answered()]
    case "log-id": return [.string(Base64.encode(TransparencyLog.id(of: try bytes("key") ?? [])))]
    case "operator-at": return [try operatorThen()]
    case "cert-scts": return try certificateScts()
    case "correspond":
      let precertificate = try certificate("precertificate")
      return [.boolean(try precertificate.flatMap { try certificate("certificate")?.corresponds(to: $0) } ?? false)]
    case "sct-count-v1":
      let leaf = try #require(try certificate("certificate"))
      let logs = Set((leaf.embeddedSCTs?.timestamps ?? []).map(\.logID))
      return [logs.count >= AppleTransparency.demandedByMonths(of: leaf) ? "enough" : "too-few"]
    case "sct-list-lint":
      let leaf = try #require(try certificate("certificate"))
      return [leaf.first(.sctList) != nil && leaf.embeddedSCTs == nil ? "empty-list" : "pass"]
    case "log-list": return [try logList()]
    case "policy-vector": return try vector()
    case "ct-policy", "trust": return [try trust()]
    case "ct-exceptions-input":
      let input = PropertyList(json: json["input"] ?? .null)
      return [(try? TransparencyExceptions(input)) == nil ? "reject" : "accept"]
    default: return ["unknown kind"]
    }
  }

  private func verified() throws -> [JSONValue] {
    let octets = try bytes("sct") ?? []
    var known = try logs()
    // Some suites pass in one key, and never compare the id of its log.
    if flag("logIdCheck") == false, let timestamp = try? SignedCertificateTimestamp(bytes: octets) {
      known = known.map { TransparencyLog($0.name, operator: $0.operator, key: $0.key, id: timestamp.logID) }
    }
    let (status, timestamp, _) = LogList(known).verify(octets, over: try entry(), at: now)
    if status == .valid, let until = TransparencyCase.instant(json["logValidUntil"]), let timestamp,
      timestamp.timestamp > until.milliseconds
    {
      return ["log-not-trusted"]
    }
    // A parser that supports one version stops before the signature, and logs have no other algorithms.
    return status == .unsupportedVersion || status == .unsupportedAlgorithm
      ? [.string(status.rawValue), "invalid"] : [.string(status.rawValue)]
  }

  private func delivered() throws -> JSONValue {
    let leaf = try #require(try certificate("certificate"))
    let answers = try bytes("ocspResponse").flatMap { try? OCSPResponse(der: $0) }.map { [$0] } ?? []
    let tls = try bytes("tlsSctList").flatMap { try? SignedCertificateTimestampList(bytes: $0) }?.items ?? []
    let timestamps = DeliveredSCTs(
      leaf, issuer: try certificate("issuer"), tls: tls, answers: answers, logs: LogList(try logs()), at: instant)
    return .array(
      timestamps.all.map { ["origin": .string($0.origin.rawValue), "status": .string($0.status.rawValue)] })
  }

  private func embedded() throws -> JSONValue {
    let leaf = try #require(try certificate("certificate"))
    let key = try bytes("issuerSpki") ?? certificates("intermediates").first?.subjectPublicKeyInfo
    let entry = key.flatMap { LogEntry(embeddedIn: leaf, issuerKey: $0) }
    let list = LogList(try logs())
    return .array(
      (leaf.embeddedSCTs?.items ?? []).map {
        .string(list.verify($0, over: entry, at: number("timeMs") == nil ? .max : now).status.rawValue)
      })
  }

  private func rebuilt() throws -> Bool {
    let leaf = try #require(try certificate("certificate"))
    let issuer = try #require(try certificate("issuer"))
    if text("entryType") == "x509" { return leaf.der == (try bytes("tbs") ?? bytes("leafCertificate") ?? leaf.der) }
    guard case .precertificate(let hash, let tbs)? = LogEntry(embeddedIn: leaf, issuer: issuer) else { return false }
    return try tbs == bytes("tbs") && hash == bytes("issuerKeyHash")
  }

  private func answered() throws -> JSONValue {
    let answer = try bytes("ocspResponse").flatMap { try? OCSPResponse(der: $0) }
    let leaf = try #require(try certificate("certificate"))
    let issuer = try #require(try certificate("issuer"))
    let single = answer?.basic?.responses.first { $0.certificate.identifies(leaf, of: issuer) }
    guard let list = single?.sctList else { return "none" }
    return try bytes("extensionOctets").map { $0 == list } ?? true ? "found" : "other octets"
  }

  private func operatorThen() throws -> JSONValue {
    let key = PrivateKey.ec(KeyStore.ecKey(owner: "log", curve: .p256)).publicKey
    var log = TransparencyLog("log", operator: text("operator") ?? "", key: key)
    log.previousOperators = list("previousOperators").compactMap { pair in
      guard case .array(let parts) = pair, case .string(let name)? = parts.first, case .integer(let end)? = parts.last
      else { return nil }
      return (name, UInt64(end))
    }
    return .string(log.operatorName(at: now))
  }

  private func certificateScts() throws -> [JSONValue] {
    guard let leaf = try? certificate("certificate"), !(leaf.isPrecertificate && leaf.first(.sctList) != nil),
      let items = leaf.embeddedSCTs?.items
    else { return ["reject"] }
    let timestamps = items.map { try? SignedCertificateTimestamp(bytes: $0) }
    if timestamps.contains(nil) { return ["reject"] }
    return timestamps.contains { $0?.signature.logScheme == nil } ? ["unsupported-algorithm"] : ["accept"]
  }
}

extension TransparencyCase {
  /// A published log list: its numbers, and for Apple's list its qualified logs.
  fileprivate func logList() throws -> JSONValue {
    let bytes = try SharedData.bytes("suites/\(text("file") ?? "")")
    guard let file = try? LogListFile(reading: bytes) else { return "reject" }
    guard let fields = json["fields"] else { return "accept" }
    func holds(_ name: String, _ value: JSONValue) -> Bool { fields[name] == nil || fields[name] == value }
    let trusted = file.list.logs.filter { $0.state?.isTrusted == true }
    let ids = trusted.map { Base64.encode($0.id) }.sorted().joined()
    let states = JSONValue.object(
      file.states.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, .integer($0.value)) })
    let expiry = trusted.count { if case .retired? = $0.state { true } else { false } }
    let frozen = trusted.count { if case .readonly? = $0.state { true } else { false } }
    let isRight =
      holds("schema", .optional(file.schema)) && holds("operators", .integer(file.operators))
      && holds("logs", .integer(file.list.logs.count)) && holds("states", states)
      && holds("version", .optional(file.list.version)) && holds("listVersion", .optional(file.list.version))
      && holds("timestamp", .optional(file.list.timestamp?.description))
      && holds("assetVersion", file.assetVersion.map { .integer($0) } ?? .null)
      && holds("assetVersionV2", file.assetVersionV2.map { .integer($0) } ?? .null)
    guard let counts = fields["trusted"] else { return isRight ? "accept" : "other fields" }
    let hash = Hex.string(Hash.sha256.digest(Array(ids.utf8)))
    let areRight =
      counts["count"] == .integer(trusted.count) && counts["withExpiry"] == .integer(expiry)
      && counts["withFrozen"] == .integer(frozen)
      && counts["withInterval"] == .integer(trusted.count { $0.interval != nil })
      && counts["sha256OfSortedLogIds"] == .string(hash)
      && (fields["trustedNonTls"]?["count"]).map { $0 == .integer(trusted.count { !$0.isForTLSOnly }) } ?? true
    return isRight && areRight ? "accept" : .string("other counts: \(trusted.count) \(expiry) \(frozen)")
  }

  /// Test vectors of policies: the required number of SCTs, and whether given SCTs suffice.
  fileprivate func vector() throws -> [JSONValue] {
    let policy = text("policy") ?? ""
    if let list = TransparencyCase.instant(json["logListTimestamp"]) {
      return ChromeTransparency.isUsable(list, at: instant) ? ["compliant", "comply"] : ["not-compliant"]
    }
    if let start = TransparencyCase.instant(json["notBefore"]), let end = TransparencyCase.instant(json["notAfter"]) {
      if policy == "apple-v1" { return [.integer(AppleTransparency.demandedByMonths(from: start, to: end))] }
      let first = TransparencyCase.instant(json["sctTimestamp"]) ?? start
      let demanded = ChromeTransparency.demanded(from: start, to: end, firstTimestamp: first)
      guard case .array(let operators)? = json["operators"] else { return [.integer(demanded)] }
      let names = operators.compactMap(TransparencyCase.string)
      let timestamps = names.enumerated().map { index, name in
        DeliveredSCT(.embedded, .valid, at: first.milliseconds, of: Self.log("\(name)-\(index)", name))
      }
      let outcome = ChromeTransparency(DeliveredSCTs(timestamps), demanded: demanded)
      return outcome == .comply ? ["trusted"] : [.string(outcome.rawValue), "not-trusted"]
    }
    let timestamps = list("scts").map { one in
      var log = Self.log(
        TransparencyCase.string(one["log"]) ?? "", TransparencyCase.string(one["operator"]) ?? "")
      let since = TransparencyCase.instant(one["since"]) ?? instant
      switch TransparencyCase.string(one["state"]) {
      case "retired": log.state = .retired(since)
      case "readonly": log.state = .readonly(since)
      case "pending": log.state = .pending
      case "rejected": log.state = .rejected
      case "qualified": log.state = .qualified
      default: log.state = .usable
      }
      let origin = DeliveredSCT.Origin(rawValue: TransparencyCase.string(one["origin"]) ?? "") ?? .embedded
      return DeliveredSCT(
        origin, .valid, at: TransparencyCase.instant(one["timestamp"])?.milliseconds, of: log)
    }
    let outcome = ChromeTransparency(DeliveredSCTs(timestamps), demanded: 2)
    return [.string(outcome.rawValue)]
  }

  private static let keys = KeyStore.tests

  private static func log(_ name: String, _ owner: String) -> TransparencyLog {
    TransparencyLog(name, operator: owner, key: PrivateKey.ec(KeyStore.ecKey(owner: name, curve: .p256)).publicKey)
  }

  /// Apple's evaluation, with the log list and the exceptions of the case.
  fileprivate func trust() throws -> JSONValue {
    let leaf = try #require(try certificate("certificate"))
    let anchors = try certificates("anchors")
    var store = flag("systemRoot") == true ? TrustStore(system: anchors) : TrustStore(app: anchors)
    if flag("appleRoot") == true { store.appleRoots = Set(anchors) }
    let isServer = text("policy") == "SSL"
    var evaluator = TrustEvaluator(TrustRequirements(os: OSVersion("macOS 15"), date: instant, store: store))
    evaluator.requirements.purpose = isServer ? .server : .any
    evaluator.evidence.logs = LogList(try logs())
    evaluator.evidence.presentedSCTs = try list("presentedScts").map(TransparencyCase.bytes)
    evaluator.requirements.revocation = .apple
    evaluator.evidence.revocation.answers = list("ocspResponses").compactMap {
      try? OCSPResponse(der: TransparencyCase.bytes($0))
    }
    if text("policy")?.contains("NonTlsCTRequired") == true { evaluator.requirements.transparency.demand = .nonTLS }
    // The policy of a host that Apple pins has another name, even if pinning is off.
    if flag("pinnedHost") == true { evaluator.requirements.transparency.demand = .none }
    var exceptions = TransparencyExceptions()
    if case .array(let domains)? = json["ctExceptions"]?["domains"] {
      exceptions.domains = domains.compactMap(TransparencyCase.string)
    }
    if case .array(let keys)? = json["ctExceptions"]?["spkiSha256"] {
      exceptions.keys = Set(try keys.map(TransparencyCase.bytes))
    }
    evaluator.requirements.transparency.exceptions = exceptions
    let evaluation = evaluator.evaluate([leaf] + (try certificates("intermediates")), host: text("hostname"))
    if kind == "ct-policy" {
      let isQualified = evaluation.accepted && evaluation.transparency?.verdict.isSatisfied == true
      return isQualified ? "ct-qualified" : "not-ct-qualified"
    }
    // The anchors are the app's, except for Certificate Transparency, which has a root of the system.
    let because = Set(evaluation.deciding.map(\.id)).subtracting(["chain.extended-key-usage"])
    return because.isEmpty ? "trust" : "distrust"
  }

}

extension PropertyList {
  /// Converts JSON, in which data is an object with one member.
  fileprivate init(json: JSONValue) {
    switch json {
    case .object(let members):
      if members.count == 1, let text = TransparencyCase.string(json["data"]), let bytes = try? Base64.decode(text) {
        self = .data(bytes)
      } else {
        self = .dictionary(
          Dictionary(entries: members.map { .init(key: $0.name, value: PropertyList(json: $0.value)) }))
      }
    case .array(let values): self = .array(values.map(PropertyList.init(json:)))
    case .string(let text): self = .string(text)
    case .integer(let number): self = .integer(Int128(number))
    case .boolean(let flag): self = .boolean(flag)
    case .number, .null: self = .string("")
    }
  }
}

@Suite("Certificate Transparency: SCTs and policies with published verdicts", .needsData("suites/ct_apple.json"))
struct CertificateTransparencySuiteTests {
  @Test("every case has the result of its suite", arguments: TransparencyCase.files)
  func agreement(_ name: String) throws {
    let cases = try TransparencyCase.all(name)
    #expect(!cases.isEmpty)
    var score = Score(name)
    defer { #expect(score.print(atLeast: cases.count)) }
    for one in cases {
      let actual = try one.actual()
      score.add(agrees: actual.contains(one.expected))
      #expect(actual.contains(one.expected), "\(one.id) (\(one.kind)): \(actual) instead of \(one.expected)")
    }
  }

  @Test("log lists that are cut or changed are errors and no traps")
  func damagedLists() throws {
    let whole = try SharedData.bytes("suites/loglists/boulder-test.json")
    for count in stride(from: 0, to: whole.count - 2, by: 7) {
      #expect(throws: LogListFile.Invalid.self) { try LogListFile(reading: Array(whole[..<count])) }
    }
    var random = DeterministicRandom(seed: .number(18), label: "flips")
    for _ in 0..<500 {
      var changed = whole
      let place = random.bytes(2).reduce(0) { $0 << 8 | Int($1) } % changed.count
      changed[place] ^= 1 << (random.bytes(1)[0] & 7)
      _ = try? LogListFile(reading: changed)
    }
  }
}
