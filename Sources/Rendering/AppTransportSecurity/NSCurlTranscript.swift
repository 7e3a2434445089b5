import Advice
import URLLoading

/// The exact output of `nscurl --ats-diagnostics` for the results of `AppTransportSecurity.Diagnostics`.
///
/// Errors contain only the parts that are the same in every run of the tool, so pointers and identifiers are omitted.
public struct NSCurlTranscript: Sendable {
  private let diagnostics: AppTransportSecurity.Diagnostics
  private let isVerbose: Bool

  /// Creates a transcript. A verbose transcript also contains dictionaries and errors.
  public init(_ diagnostics: AppTransportSecurity.Diagnostics, isVerbose: Bool) {
    self.diagnostics = diagnostics
    self.isVerbose = isVerbose
  }

  /// The whole transcript. Every line ends with a line break.
  public var text: String { lines.map { $0 + "\n" }.joined() }

  private static let ruler = String(repeating: "=", count: 80)

  private var lines: [String] {
    var lines = header
    var section: String?
    for row in diagnostics.rows {
      if row.test.section != section {
        // Only the first section has no empty line below its heading.
        lines += [Self.ruler, "", row.test.section] + (section == nil ? [] : [""])
        section = row.test.section
      }
      lines += block(row) + [""]
    }
    return lines + [Self.ruler]
  }

  private var header: [String] {
    [
      "Starting ATS Diagnostics", "",
      "Configuring ATS Info.plist keys and displaying the result of HTTPS loads to \(diagnostics.url).",
      "A test will \"PASS\" if URLSession:task:didCompleteWithError: returns a nil error.",
    ]
      + (isVerbose
        ? []
        : [
          "[Use '--verbose' to view the ATS dictionaries used and to display the error received in "
            + "URLSession:task:didCompleteWithError:.]"
        ])
  }

  private func block(_ row: AppTransportSecurity.Diagnostics.Row) -> [String] {
    let dictionary = isVerbose ? ["ATS Dictionary:"] + row.test.dictionary.oldStyleLines() : []
    let error = isVerbose ? [row.load.nsErrorLine].compactMap(\.self) : []
    return ["---", row.test.title] + dictionary + ["Result : \(row.word)"] + error + ["---"]
  }
}

extension AppTransportSecurity.LoadResult {
  /// The error on one line, as in the description of `NSError`; nil for a successful load.
  fileprivate var nsErrorLine: String? {
    guard let url = failingURL, let error = errors.first(where: { $0.domain == .url }) else { return nil }
    let text = error.localizedDescription(host: url.host)
    var userInfo = [
      "NSLocalizedDescription=\(text)", "NSErrorFailingURLKey=\(url)", "NSErrorFailingURLStringKey=\(url)",
    ]
    if let stream = errors.first(where: { $0.domain == .tls }) {
      userInfo =
        ["_kCFStreamErrorCodeKey=\(stream.code)"]
        + ["NSLocalizedRecoverySuggestion=Would you like to connect to the server anyway?"] + userInfo
        + ["_kCFStreamErrorDomainKey=3"]
    }
    return "Error : Error Domain=\(error.domain.rawValue) Code=\(error.code) \"\(text)\" "
      + "UserInfo={\(userInfo.joined(separator: ", "))}"
  }
}

extension AppError {
  /// Returns the system's error message. For a code that no public transcript contains, it is the meaning of the code.
  fileprivate func localizedDescription(host: String) -> String {
    switch code {
    case -1022:
      "The resource could not be loaded because the App Transport Security policy requires the use of a secure "
        + "connection."
    case -1200: "An SSL error has occurred and a secure connection to the server cannot be made."
    case -1201, -1202, -1203, -1204:
      "The certificate for this server is invalid. You might be connecting to a server that is pretending to be "
        + "“\(host)” which could put your confidential information at risk."
    case -1003: "A server with the specified hostname could not be found."
    case -1007: "too many HTTP redirects"
    case -1206: "The server “\(host)” requires a client certificate."
    default: meaning
    }
  }
}
