import Cryptography
import Explanation
import Foundation
import Oracles
import PKIX
import Testing

@testable import Trust

/// OCSP test cases written by Apple, OpenSSL, Chromium, Botan and others.
struct OCSPCase: Decodable, Sendable, CustomTestStringConvertible {
  let id: String
  let kind: String
  let expected: String
  var ocspResponse: Data?
  var ocspResponses: [Data]?
  var ocspResponseForIssuer: Data?
  var singleResponse: Data?
  var ocspRequest: Data?
  var certificate: Data?
  var issuer: Data?
  var root: Data?
  var intermediates: [Data]?
  var crls: [Data]?
  var certIdHash: String?
  var time: String?
  var expires: String?
  var leewaySeconds: Int64?
  var maxAgeSeconds: Int64?
  var defaultTTLSeconds: Int64?
  var requirePositiveResponse: Bool?
  var features: [String]?

  var testDescription: String { id }

  static let files = SharedData.names(in: "suites").filter { $0.hasPrefix("ocsp_") && $0.hasSuffix(".json") }

  static func all() throws -> [OCSPCase] {
    struct File: Decodable { let testcases: [OCSPCase] }
    return try files.flatMap { name in
      let file: File = try SharedData.decode("suites/\(name)")
      return file.testcases
    }
  }

  var instant: Instant { time.flatMap(Instant.init) ?? Instant(secondsSince1970: 0) }

  func certificate(_ data: Data?) throws -> Certificate { try Certificate(der: Array(#require(data))) }

  func response() throws -> OCSPResponse { try OCSPResponse(der: Array(#require(ocspResponse))) }

  /// The result here, in the words of the suite.
  func actual() throws -> Set<String> {
    switch kind {
    case "parse":
      guard let response = try? OCSPResponse(der: Array(ocspResponse ?? Data())) else { return ["reject"] }
      // Some implementations refuse a critical extension during decoding; this one does so during validation.
      let unprocessed = response.basic?.responses.lazy.compactMap { response.basic?.unprocessedExtension($0) }.first
      return unprocessed == nil ? ["accept", "accept-but-should-reject"] : ["reject"]
    case "status": return ["\(try response().status)"]
    case "parse-request":
      return [(try? OCSPRequest(der: Array(#require(ocspRequest)))) == nil ? "reject" : "accept"]
    case "parse-single-response":
      return [(try? SingleResponse(der: Array(#require(singleResponse)))) == nil ? "reject" : "accept"]
    case "encode-request":
      let asked = CertificateID(try certificate(certificate), issuer: try certificate(issuer))
      return [OCSPRequest([asked]).der == Array(try #require(ocspRequest)) ? "equal" : "different"]
    case "weak-hash":
      let hash = try response().basic?.signatureAlgorithm.signatureScheme?.hash
      return [hash == .sha1 || hash == .md5 ? "weak" : "strong"]
    case "verify-self":
      let basic = try #require(try response().basic)
      return [basic.certificates.first.map(basic.isSigned) == true ? "accept" : "reject"]
    case "match": return [try isMatched() ? "match" : "no-match"]
    case "time": return try timeliness()
    case "cache-expiry":
      let basic = try #require(try response().basic)
      return [
        basic.expiry(at: instant, maximumAge: maxAgeSeconds, lifetime: defaultTTLSeconds ?? 0).description
      ]
    case "verify", "verify-response": return try verified()
    case "responder-policy":
      let above = try (intermediates ?? []).first.map(certificate) ?? certificate(root)
      let obstacle = try certificate(certificate).reasonNotToSign(for: above, at: instant, isStrict: true)
      return [obstacle == nil ? "accept" : "reject"]
    case "chain": return try chain()
    default: return ["unknown kind"]
    }
  }

  private func isMatched() throws -> Bool {
    let basic = try #require(try response().basic)
    if let certificate, let issuer {
      let (leaf, authority) = (try Certificate(der: Array(certificate)), try Certificate(der: Array(issuer)))
      return basic.responses.contains { $0.certificate.identifies(leaf, of: authority) }
    }
    let asked = try OCSPRequest(der: Array(#require(ocspRequest))).certificates
    return basic.responses.contains { single in
      asked.contains { $0 == single.certificate }
        || asked.contains { $0.serialNumber == single.certificate.serialNumber && $0.hash == single.certificate.hash }
    }
  }

  private var limits: OCSPResponseValidation.Limits {
    var limits = OCSPResponseValidation.Limits()
    limits.clockSkew = leewaySeconds ?? 0
    let isChromium = id.hasPrefix("chromium/")
    limits.maximumAge = isChromium ? maxAgeSeconds : nil
    limits.maximumAgeWithoutNextUpdate = isChromium || maxAgeSeconds == 0 ? nil : maxAgeSeconds
    return limits
  }

  private func timeliness() throws -> Set<String> {
    let basic = try #require(try response().basic)
    let single = try #require(basic.responses.first)
    guard basic.producedAt <= instant.adding(seconds: limits.clockSkew) else { return ["untimely", "not-yet-valid"] }
    switch single.timeliness(at: instant, limits) {
    case .timely: return ["timely"]
    case .notYetValid: return ["untimely", "not-yet-valid"]
    case .expired, .tooOld: return ["untimely", "expired"]
    }
  }

  private func verified() throws -> Set<String> {
    guard let response = try? response() else { return ["reject", "unknown"] }
    let authority = try certificate(issuer)
    guard let certificate else {
      let basic = try #require(response.basic)
      let isAbout = basic.responses.allSatisfy { $0.certificate.identifies(issuer: authority) }
      return [isAbout && basic.isSigned(by: authority) ? "accept" : "reject"]
    }
    var limits = limits
    // OpenSSL's recipe does not check the dates of responses.
    if kind == "verify-response" { limits.clockSkew = 4_000_000_000 }
    let acceptance = OCSPResponseValidation(
      response, about: try Certificate(der: Array(certificate)), of: authority, at: instant, limits: limits)
    guard let status = acceptance.status else { return ["reject", "unknown"] }
    return kind == "verify" ? [status.word] : ["accept"]
  }

  /// Validates a complete chain in hard-fail mode. If a case depends on a tolerance of days, its reason gives their
  /// number.
  private func chain() throws -> Set<String> {
    let leaf = try certificate(certificate)
    let above = try (intermediates ?? []).map(certificate)
    var revocation = RevocationPolicy(.hardFail)
    var evidence = TrustEvidence()
    evidence.revocation.answers = (ocspResponses ?? []).compactMap { try? OCSPResponse(der: Array($0)) }
    evidence.revocation.lists = try (crls ?? []).map { try CertificateRevocationList(der: Array($0)) }
    // In hard-fail mode, certvalidator skips CAs for which it has no evidence; Botan does not.
    let numbers = Set(evidence.revocation.answers.flatMap { $0.basic?.responses.map(\.certificate.serialNumber) ?? [] })
    let isAsked = above.allSatisfy { numbers.contains($0.serialNumber) } || id.hasPrefix("botan/")
    if requirePositiveResponse == true || !isAsked {
      revocation.modeForCAs = RevocationPolicy.Mode.none
    }
    revocation.limits.maximumAgeWithoutNextUpdate = nil
    if features?.contains("freshness-policy") == true { revocation.limits.clockSkew = 20 * 86_400 }
    let evaluator = TrustEvaluator(
      TrustRequirements(
        profile: .rfc5280, os: nil, purpose: .any, date: instant, store: TrustStore(system: [try certificate(root)]),
        revocation: revocation), evidence: evidence)
    let evaluation = evaluator.evaluate([leaf] + above, host: nil)
    // SHA-1 and 1024-bit keys were usual when these cases were made.
    let because = Set(evaluation.deciding.map(\.id)).subtracting(["chain.weak-signature"])
    if because.isEmpty { return ["accept"] }
    return because.contains("chain.revoked") ? ["revoked", "reject"] : ["reject"]
  }
}

@Suite("OCSP cases of other implementations", .needsData("suites/ocsp_openssl.json"))
struct OCSPSuiteTests {
  @Test("every response has the result that its suite expects", arguments: OCSPCase.files)
  func agreement(_ name: String) throws {
    struct File: Decodable { let testcases: [OCSPCase] }
    let file: File = try SharedData.decode("suites/\(name)")
    #expect(!file.testcases.isEmpty)
    var score = Score(name)
    defer { #expect(score.print(atLeast: file.testcases.count)) }
    for one in file.testcases {
      let actual = try one.actual()
      score.add(agrees: actual.contains(one.expected))
      #expect(actual.contains(one.expected), "\(one.id) (\(one.kind)): \(actual) instead of \(one.expected)")
    }
  }

  @Test("a response that is truncated or changed is an error, not a trap")
  func damaged() throws {
    let whole = try OCSPCase.all().filter { $0.kind == "match" }.prefix(2).map { try $0.response().der }
    for der in whole {
      for count in 0..<der.count {
        #expect(throws: CertificateError.self) { try OCSPResponse(der: Array(der[..<count])) }
      }
      var random = DeterministicRandom(seed: .number(18), label: "flips")
      for _ in 0..<2000 {
        var changed = der
        let place = random.bytes(2).reduce(0) { $0 << 8 | Int($1) } % changed.count
        changed[place] ^= 1 << (random.bytes(1)[0] & 7)
        guard let response = try? OCSPResponse(der: changed) else { continue }
        _ = response.basic?.responses.map(\.sctList)
      }
    }
  }
}
