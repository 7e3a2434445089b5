import Explanation
import TLS
import Trust
import URLLoading

extension AppTransportSecurity {
  /// Simulates `nscurl --ats-diagnostics`: loads one URL with a series of ATS dictionaries.
  ///
  /// Each test uses the engine that decides all other loads. The engine covers the ATS decision, the ClientHello, the
  /// negotiation, the ATS checks, certificate evaluation, and redirects. There is no delegate.
  public struct Diagnostics: Sendable {
    /// One test and its result.
    public struct Row: Sendable {
      /// The test.
      public let test: DiagnosticTest
      /// The load with the test's dictionary.
      public let load: LoadResult

      /// Whether the load ends without an error.
      public var passes: Bool { load.passes }
      /// The result as text.
      public var word: String { passes ? "PASS" : "FAIL" }
    }

    /// The URL.
    public let url: LoadURL
    /// The system that loads the URL.
    public let os: OSVersion
    /// The tests in order.
    public let rows: [Row]
    /// The smallest exception with which the load passes.
    public let smallestException: ExceptionAnswer

    /// Runs all tests of `nscurl` on the given system.
    public init(_ url: LoadURL, on os: OSVersion, site: Site) {
      self.url = url
      self.os = os
      let route = Route(url, os: os, loader: .urlSession, site: site)
      rows = DiagnosticTest.all(for: url.host, on: os).map { test in
        Row(test: test, load: route.judged(by: Configuration(dictionary: test.dictionary)))
      }
      smallestException = ExceptionSearch(urls: [url], systems: [os], loader: .urlSession, site: site).answer()
    }

    /// Whether the default test passes, which means that no exception is needed.
    public var passes: Bool { rows.first?.passes == true }
    /// Whether the result of the default test is known. It is unknown if the system's reaction to the server's response
    /// is unknown.
    public var isKnown: Bool { rows.first?.load.isKnown == true }
  }

  /// One test of `nscurl --ats-diagnostics`: a dictionary with which the URL is loaded.
  public struct DiagnosticTest: Sendable, Hashable {
    /// The number of the test, counted from 1.
    public let number: Int
    /// The heading of the test. Tests with equal headings are consecutive.
    public let section: String
    /// The title of the test.
    public let title: String
    /// The `NSAppTransportSecurity` dictionary of the test, with its keys in alphabetical order.
    public let dictionary: PropertyList.Dictionary

    /// Returns the tests in the tool's order. There are 13 until macOS 10.13, and 16 later, with rows for TLS 1.3.
    ///
    /// Titles and dictionaries contain only the host of the URL.
    public static func all(for host: String, on os: OSVersion) -> [DiagnosticTest] {
      let hasTLS13 = os.isAtLeast(iOS: (12, 0), macOS: (10, 14))
      let versions: [ProtocolVersion] = (hasTLS13 ? [.tls13] : []) + [.tls12, .tls11, .tls10]
      return numbered(unnumbered(host, versions))
    }

    private typealias Row = (section: String, title: String, dictionary: PropertyList)

    private static func numbered(_ rows: [Row]) -> [DiagnosticTest] {
      rows.enumerated().map { index, row in
        DiagnosticTest(
          number: index + 1, section: row.section, title: row.title, dictionary: row.dictionary.dictionary ?? .init())
      }
    }

    private static func unnumbered(_ host: String, _ versions: [ProtocolVersion]) -> [Row] {
      [
        ("Default ATS Secure Connection", "ATS Default Connection", [:]),
        ("Allowing Arbitrary Loads", "Allow All Loads", [Key.allowsArbitraryLoads.name: true]),
      ]
        + versions.map { version in
          ("Configuring TLS exceptions for \(host)", "\(version)", excepting(host, minimum: version))
        }
        + [
          (
            "Configuring PFS exceptions for \(host)", "Disabling Perfect Forward Secrecy",
            excepting(host, requiresForwardSecrecy: false)
          ),
          (
            "Configuring PFS exceptions and allowing insecure HTTP for \(host)",
            "Disabling Perfect Forward Secrecy and Allowing Insecure HTTP",
            excepting(host, allowsInsecureHTTP: true, requiresForwardSecrecy: false)
          ),
        ]
        + versions.map { version in
          (
            "Configuring TLS exceptions with PFS disabled for \(host)", "\(version) with PFS disabled",
            excepting(host, minimum: version, requiresForwardSecrecy: false)
          )
        }
        + versions.map { version in
          (
            "Configuring TLS exceptions with PFS disabled and insecure HTTP allowed for \(host)",
            "\(version) with PFS disabled and insecure HTTP allowed",
            excepting(host, allowsInsecureHTTP: true, minimum: version, requiresForwardSecrecy: false)
          )
        }
    }

    private static func excepting(
      _ host: String, allowsInsecureHTTP: Bool = false, minimum: ProtocolVersion? = nil,
      requiresForwardSecrecy: Bool = true
    ) -> PropertyList {
      var entry = ExceptionDomain.Values()
      entry.allowsInsecureHTTPLoads = allowsInsecureHTTP
      entry.minimumTLSVersion = minimum
      entry.requiresForwardSecrecy = requiresForwardSecrecy
      let entries = [PropertyList.Dictionary.Entry(key: host, value: .dictionary(entry.dictionary))]
      return [Key.exceptionDomains.name: .dictionary(.init(entries: entries))]
    }
  }
}
