import Advice
import Explanation
import TLS
import Testing
import Trust
import URLLoading

@Suite("Loads without a complete response") struct UnansweredLoadTests {
  private typealias ATS = AppTransportSecurity

  /// A load over plain HTTP under Allow All Loads, test 2, whose request for `/` has this outcome.
  private func load(
    _ reason: AppTransportSecurity.Site.NoAnswer?, isThere: Bool = true
  ) throws -> AppTransportSecurity.LoadResult {
    let url = try LoadURL("http://api.example/")
    let date = try #require(Instant(year: 2026, month: 1, day: 1))
    let server = ATS.Site.Server(terms: ATS.ServerTerms(versions: [], cipherSuites: [], key: nil), chain: [])
    var site = ATS.Site(
      servers: isThere ? [ATS.Site.place(of: url): server] : [:],
      trust: TrustEvaluator(TrustRequirements(os: nil, date: date, store: TrustStore(system: []))))
    site.unanswered[ATS.Site.resource(of: url)] = reason
    let rows = ATS.Diagnostics(url, on: OSVersion(.macOS, 15, 4), site: site).rows
    return try #require(rows.first { $0.test.number == 2 }).load
  }

  @Test("a response is a success, and every other outcome has its error for the app")
  func codes() throws {
    let answered = try load(nil)
    #expect(answered.passes && !answered.isUncertain)
    let expected: [(AppTransportSecurity.Site.NoAnswer, String)] = [
      (.lost(because: .truncatedConnection), "NSURLErrorNetworkConnectionLost"), (.silence, "NSURLErrorTimedOut"),
    ]
    for (reason, name) in expected {
      let load = try load(reason)
      #expect(!load.passes && load.errors.map(\.name) == [name])
      // Silence violates no rule: RFC 9110 sets no time limit for a response.
      #expect(load.because == (reason == .silence ? [] : [.truncatedConnection]))
    }
    let absent: [(AppTransportSecurity.Site.NoAnswer?, String)] = [
      (nil, "NSURLErrorCannotFindHost"), (.noAddress, "NSURLErrorCannotFindHost"),
      (.noConnection, "NSURLErrorCannotConnectToHost"), (.silence, "NSURLErrorTimedOut"),
    ]
    for (reason, name) in absent {
      let load = try load(reason, isThere: false)
      #expect(!load.passes && load.errors.map(\.name) == [name])
    }
  }

  @Test("a response that is not understood leaves the result open")
  func unreadable() throws {
    let load = try load(.unreadable)
    #expect(load.passes && load.isUncertain)
  }
}
