import Explanation
import TLS
import Trust

extension AppTransportSecurity {
  /// What `nscurl --ats-diagnostics` does: loads one URL under one dictionary after the other.
  ///
  /// Every test is decided by the engine that decides everything else: decision, offer, negotiation, what App Transport
  /// Security finds, the evaluation of the server's certificates, and so on from redirect to redirect. There is no
  /// delegate.
  public struct Diagnostics: Sendable {
    /// One test and what came of it.
    public struct Row: Sendable {
      /// The test.
      public let test: DiagnosticTest
      /// The load under its dictionary.
      public let load: LoadResult

      /// Whether the load ends without an error.
      public var passes: Bool { load.passes }
    }

    /// What is loaded.
    public let url: LoadURL
    /// On which system.
    public let os: OSVersion
    /// The tests in order.
    public let rows: [Row]
    /// The smallest exception that works.
    public let smallestException: ExceptionAnswer

    /// Runs all tests of the system's tool.
    public init(_ url: LoadURL, on os: OSVersion, site: Site) {
      self.url = url
      self.os = os
      let route = Route(url, os: os, loader: .urlSession, site: site)
      rows = DiagnosticTest.all(for: url.host, on: os).map { test in
        Row(test: test, load: route.judged(by: Configuration(dictionary: test.dictionary)))
      }
      smallestException = ExceptionSearch(urls: [url], systems: [os], loader: .urlSession, site: site).answer()
    }

    /// Whether the default test passes: no exception is needed.
    public var passes: Bool { rows.first?.passes == true }
  }
}
