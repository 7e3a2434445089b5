import Explanation
import Foundation
import Oracles
import PKIX
import Testing
import Trust

@testable import URLLoading

/// Certificates of a library's own tests, as data.
struct LibraryCertificates: Decodable {
  struct Encoded: Decodable { let der: String }
  let certificates: [String: Encoded]

  func certificate(_ name: String) throws -> Certificate {
    let encoded = try #require(certificates[name], "\(name)")
    return try Certificate(der: Array(try #require(Data(base64Encoded: encoded.der))))
  }

  func file(_ name: String) throws -> PinnedFile { PinnedFile(name, try certificate(name)) }

  /// A trust object of iOS 17 at noon of `day`. Lifetimes are not checked, because the fixtures are old.
  func trust(
    _ chain: [String], _ policy: TrustObject.Policy, on day: Instant, system: [String] = [], anchors: [String]? = nil
  ) throws -> TrustObject {
    let own = TrustEvaluator(
      TrustRequirements(os: OSVersion(.iOS, 17), date: day, store: TrustStore(system: try system.map(certificate))),
      diagnostics: TrustDiagnostics(enforcement: .standard.overriding("chain.lifetime", by: .mutant)))
    return TrustObject(
      try chain.map(certificate), policy, system: own, anchors: try anchors.map { try $0.map(certificate) })
  }
}

/// The verdicts of AFNetworking's own tests.
@Suite("afnetworking_pinning", .needsData("suites/afnetworking_pinning.json")) struct AFNetworkingSuite {
  struct Case: Decodable {
    struct Policy: Decodable {
      let pinningMode: String
      let allowInvalidCertificates: Bool
      let validatesDomainName: Bool
      let pinnedCertificates: [String]?
    }
    let id: String
    let chain: [String]
    let policy: Policy
    let domain: String?
    let expected: Bool
  }
  struct Cases: Decodable { let testcases: [Case] }

  private let suite: LibraryCertificates
  private let cases: [Case]

  init() throws {
    suite = try SharedData.decode("suites/afnetworking_pinning.json")
    let file: Cases = try SharedData.decode("suites/afnetworking_pinning.json")
    cases = file.testcases
  }

  /// The verdict of a release, with `all` as validatesCertificateChain.
  private func accepts(_ item: Case, _ version: String, all: Bool = true) throws -> Bool {
    let modes: [String: AFNetworking.PinningMode] = [
      "None": .none, "PublicKey": .publicKey, "Certificate": .certificate,
    ]
    var library = AFNetworking(
      try #require(LibraryVersion(.afNetworking, version)), try #require(modes[item.policy.pinningMode]))
    library.allowsInvalidCertificates = item.policy.allowInvalidCertificates
    library.validatesDomainName = item.policy.validatesDomainName
    library.validatesCertificateChain = all
    library.pins = try (item.policy.pinnedCertificates ?? []).map(suite.file)
    let trust = try suite.trust(
      item.chain, .basic, on: try #require(Instant("2020-06-01")),
      system: suite.certificates.keys.filter { $0.hasSuffix("httpbin_3.cer") || $0.hasSuffix("adn_2.cer") }.sorted())
    return library.evaluate(trust, domain: item.domain).accepts
  }

  @Test(
    "every verdict of AFNetworking's tests is the same with the rules of 2.6 to 4.0",
    arguments: ["2.6.0", "2.7.0", "3.1.0", "3.2.1", "4.0.1"])
  func verdicts(version: String) throws {
    #expect(!cases.isEmpty)
    for item in cases {
      #expect(try accepts(item, version) == item.expected, "\(item.id)")
    }
  }

  @Test(
    "the rules of older releases fail as many of the tests as their history says",
    arguments: [
      ("2.0.3", true, 29), ("2.1.0", true, 19), ("2.1.0", false, 23), ("2.2.0", true, 20), ("2.2.0", false, 26),
      ("2.2.1", true, 24), ("2.5.0", false, 32), ("2.5.1", true, 20), ("2.5.1", false, 28), ("2.5.4", true, 24),
      ("2.5.2", false, 32),
    ])
  func history(version: String, all: Bool, count: Int) throws {
    try #require(cases.count == 36)
    let right = try cases.filter { try accepts($0, version, all: all) == $0.expected }
    #expect(right.count == count)
  }
}

/// The verdicts of Alamofire's own tests.
@Suite("alamofire_trust", .needsData("suites/alamofire_trust.json")) struct AlamofireSuite {
  struct Case: Decodable {
    let id: String
    let chain: [String]
    let anchors: [String]
    let evaluator: String?
    let evaluator_args: String?
    let pins: [String]
    let sec_policies: [String]
    let host: String?
    let expected: Bool

    enum CodingKeys: CodingKey {
      case id, chain, anchors, evaluator, evaluator_args, pins, sec_policies, host, expected
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decode(String.self, forKey: .id)
      chain = try container.decode([String].self, forKey: .chain)
      // A string means the system's anchors, which contain none of these.
      anchors = (try? container.decode([String].self, forKey: .anchors)) ?? []
      evaluator = try container.decodeIfPresent(String.self, forKey: .evaluator)
      evaluator_args = try container.decodeIfPresent(String.self, forKey: .evaluator_args)
      pins = try container.decodeIfPresent([String].self, forKey: .pins) ?? []
      sec_policies = try container.decodeIfPresent([String].self, forKey: .sec_policies) ?? []
      host = try container.decodeIfPresent(String.self, forKey: .host)
      expected = try container.decode(Bool.self, forKey: .expected)
    }

    /// An argument of the evaluator's initialiser, or `usual` if it is missing.
    func flag(_ name: String, _ usual: Bool) -> Bool {
      guard let range = evaluator_args?.range(of: "\(name): ") else { return usual }
      return evaluator_args?[range.upperBound...].hasPrefix("true") ?? usual
    }
  }
  struct Cases: Decodable { let testcases: [Case] }

  private func evaluator(_ name: String, _ item: Case, _ suite: LibraryCertificates) throws -> Alamofire.Evaluator {
    let performs = item.flag("performDefaultValidation", true)
    let validatesHost = item.flag("validateHost", true)
    let pins = try item.pins.map(suite.file)
    switch name {
    case "DefaultTrustEvaluator": return .standard(validateHost: validatesHost)
    case "RevocationTrustEvaluator":
      return .revocation(performDefaultValidation: performs, validateHost: validatesHost)
    case "PinnedCertificatesTrustEvaluator":
      return .pinnedCertificates(
        pins, acceptSelfSigned: item.flag("acceptSelfSignedCertificates", false), performDefaultValidation: performs,
        validateHost: validatesHost)
    case "PublicKeysTrustEvaluator":
      return .publicKeys(pins, performDefaultValidation: performs, validateHost: validatesHost)
    case "DisabledTrustEvaluator", "DisabledEvaluator": return .disabled
    case "CompositeTrustEvaluator":
      let members = (item.evaluator_args ?? "").components(separatedBy: CharacterSet.alphanumerics.inverted)
      return .composite(
        try members.filter { $0.hasSuffix("TrustEvaluator") }.map { try evaluator($0, item, suite) })
    default: throw Unknown(name: name)
    }
  }

  struct Unknown: Error { let name: String }

  /// `SSL(true, "test.alamofire.org" as CFString)`, `SSL(true, nil)`, `BasicX509()`, `Revocation(…)`.
  private func policy(_ words: [String]) throws -> TrustObject.Policy {
    let host = words.joined().split(separator: "\"").dropFirst().first.map(String.init)
    let isRevocation = words.contains { $0.hasPrefix("Revocation") }
    if words.contains(where: { $0.hasPrefix("SSL") }) {
      return isRevocation ? .sslAndRevocation(host: host) : .ssl(host: host)
    }
    return isRevocation ? .revocation : .basic
  }

  @Test("every verdict of Alamofire's tests is the same")
  func verdicts() throws {
    let suite: LibraryCertificates = try SharedData.decode("suites/alamofire_trust.json")
    let file: Cases = try SharedData.decode("suites/alamofire_trust.json")
    let version = try #require(LibraryVersion(.alamofire, "5"))
    #expect(!file.testcases.isEmpty)
    for item in file.testcases {
      // The certificates were issued for a few days of 2015, or for ten years; this day is valid for both.
      var trust = try suite.trust(
        item.chain, item.sec_policies.isEmpty ? .ssl(host: item.host) : try policy(item.sec_policies),
        on: try #require(Instant("2020-06-01")), anchors: item.anchors.isEmpty ? nil : item.anchors)
      guard let name = item.evaluator else {
        #expect(trust.evaluate().accepted == item.expected, "\(item.id)")
        continue
      }
      let verdict = Alamofire(version, entries: [:]).evaluate(
        trust, host: item.host ?? "", by: .evaluator(try evaluator(name, item, suite)))
      #expect(
        verdict.accepts == item.expected,
        "\(item.id): \(verdict.reason?.constant ?? "") \(verdict.evaluation?.deciding.map(\.id) ?? [])")
      #expect(verdict.accepts == (verdict.reason == nil))
    }
  }
}

/// The verdicts of TrustKit's own tests.
@Suite("trustkit_pinning", .needsData("suites/trustkit_pinning.json")) struct TrustKitSuite {
  struct Case: Decodable {
    let id: String
    let chain: [String]
    let anchors: [String]
    let pinned_domain: String
    let host: String
    let pins_sha256_spki: [String]
    let enforce_pinning: Bool
    let verify_result: String?
    let final_decision: String?
    let exclude_subdomain_or_notes: [String]
  }
  struct Cases: Decodable { let testcases: [Case] }

  @Test("every decision and every result of TrustKit's tests is the same")
  func verdicts() throws {
    let suite: LibraryCertificates = try SharedData.decode("suites/trustkit_pinning.json")
    let file: Cases = try SharedData.decode("suites/trustkit_pinning.json")
    let now = try #require(Instant("2015-10-01"))
    #expect(!file.testcases.isEmpty)
    for item in file.testcases {
      let pins = try item.pins_sha256_spki.map { text in
        PublicKeyPins.Pin(name: text, fingerprint: Array(try #require(Data(base64Encoded: text))))
      }
      let notes = item.exclude_subdomain_or_notes.joined(separator: " ").lowercased()
      var domain = TrustKit.Domain(pins)
      domain.enforcesPinning = item.enforce_pinning
      domain.includesSubdomains = notes.contains("includesubdomains")
      domain.isExcluded = notes.contains("excludesubdomain")
      if notes.contains("expir") {
        domain.expiration = notes.contains("future") ? now.adding(days: 1) : now.adding(days: -1)
      }
      let library = TrustKit(try #require(LibraryVersion(.trustKit, "3")), domains: [item.pinned_domain: domain])
      let trust = try suite.trust(item.chain, .basic, on: now, anchors: item.anchors)
      let evaluation = library.evaluate(trust, host: item.host, at: now)
      if let expected = item.final_decision { #expect(evaluation.decision.rawValue == expected, "\(item.id)") }
      if let expected = item.verify_result { #expect(evaluation.result?.constant == expected, "\(item.id)") }
    }
  }
}
