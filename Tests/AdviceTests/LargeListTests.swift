import Explanation
import Trust
import Testing

@testable import Advice
@testable import URLLoading

@Suite("Property lists of many domains")
struct LargeListTests {
  /// Settings with `count` domains; each third of them changes with `turn`.
  private static func settings(_ count: Int, turn: Int) -> AppTransportSecurity.Configuration {
    let entries = (0..<count).map { number in
      let key = (number + turn) % 3 == 0 ? "NSExceptionAllowsInsecureHTTPLoads" : "NSIncludesSubdomains"
      let keys = PropertyList.Dictionary(entries: [.init(key: key, value: .boolean(true))])
      return PropertyList.Dictionary.Entry(key: "host\(number).example.com", value: .dictionary(keys))
    }
    let domains = PropertyList.dictionary(.init(entries: entries))
    return .init(dictionary: .init(entries: [.init(key: "NSExceptionDomains", value: domains)]))
  }

  /// Settings with `count` addresses, each in its own range.
  private static func addresses(_ count: Int) -> PropertyList.Dictionary {
    let entries = (0..<count).flatMap { number in
      ["0/24", "1"].map { end in
        PropertyList.Dictionary.Entry(key: "10.\(number / 256).\(number % 256).\(end)", value: [:])
      }
    }
    return .init(entries: [.init(key: "NSExceptionDomains", value: .dictionary(.init(entries: entries)))])
  }

  @Test("comparing and linting take linear time in the number of domains, not quadratic")
  func linear() {
    let clock = ContinuousClock()
    func seconds(_ body: () -> Void) -> Duration { (0..<3).map { _ in clock.measure(body) }.min() ?? .zero }
    func comparing(_ count: Int) -> Duration {
      let (old, new) = (Self.settings(count, turn: 0), Self.settings(count, turn: 1))
      return seconds {
        _ = AppTransportSecurity.SettingsDifference(from: old, to: new, urls: [], systems: [.init(.iOS, 17)])
      }
    }
    func linting(_ count: Int) -> Duration {
      let dictionary = Self.settings(count, turn: 0).dictionary
      return seconds { _ = AppTransportSecurity.lint(settings: dictionary) }
    }
    func lintingAddresses(_ count: Int) -> Duration {
      let dictionary = Self.addresses(count)
      return seconds { _ = AppTransportSecurity.lint(settings: dictionary, systems: [.init(.iOS, 17)]) }
    }
    // With quadratic time, eight times as many would take 64 times as long. Other load on the machine does not affect
    // every round.
    #expect((0..<5).contains { _ in comparing(800) < comparing(100) * 24 })
    #expect((0..<5).contains { _ in linting(4000) < linting(500) * 24 })
    #expect((0..<5).contains { _ in lintingAddresses(400) < lintingAddresses(50) * 24 })
  }

  @Test("a value of another type makes only its entry and those below it uncertain")
  func oddValues() throws {
    let odd = PropertyList.Dictionary(
      entries: [.init(key: "NSExceptionAllowsInsecureHTTPLoads", value: .string("YES"))])
    var entries = Self.settings(20, turn: 0).dictionary["NSExceptionDomains"]?.dictionary?.entries ?? []
    entries.append(.init(key: "odd.example", value: .dictionary(odd)))
    let settings = AppTransportSecurity.Configuration(
      dictionary: .init(entries: [
        .init(key: "NSExceptionDomains", value: .dictionary(.init(entries: entries)))
      ]))
    func isDoubted(_ host: String) throws -> Bool {
      let load = AppTransportSecurity.Load(try LoadURL("http://\(host)/"), os: OSVersion(.iOS, 12))
      return AppTransportSecurity.decide(load, by: settings).doubts.contains {
        $0.note?.contains("other types") == true
      }
    }
    #expect(try isDoubted("odd.example") && isDoubted("a.odd.example"))
    #expect(try !isDoubted("host1.example.com") && !isDoubted("other.example"))
  }
}
