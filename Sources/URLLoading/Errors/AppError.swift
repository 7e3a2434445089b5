/// An error as an app or its log shows it: a domain and a code.
///
/// The numbers are Apple's and are written out here: swift-corelibs-foundation has some of them off by one.
public struct AppError: Sendable, Hashable, CustomStringConvertible {
  /// Whose codes they are.
  public enum Domain: String, Sendable, Hashable, CaseIterable {
    /// Errors of the URL Loading System.
    case url = "NSURLErrorDomain"
    /// Status codes of TLS, in the stream code of an error's user info: domain 3, as in `[3:-9802]`.
    case tls = "kCFStreamErrorDomainSSL"
    /// Results of trust evaluation.
    case status = "NSOSStatusErrorDomain"
    /// Errors of CFNetwork below, where they come up as they are: those of proxies.
    case network = "kCFErrorDomainCFNetwork"
  }

  /// One row of a domain's table.
  public struct Registration: Sendable, Hashable {
    /// The code: negative, but for CFNetwork's own.
    public let code: Int
    /// Apple's name: `NSURLErrorSecureConnectionFailed`, `errSSLFatalAlert`.
    public let name: String
    /// What it says; empty where the name says it all.
    public let meaning: String

    init(_ code: Int, _ name: String, _ meaning: String = "") {
      self.code = code
      self.name = name
      self.meaning = meaning
    }
  }

  /// The domain.
  public let domain: Domain
  /// The code.
  public let code: Int

  /// An error, whether its code is known or not.
  public init(_ domain: Domain, _ code: Int) {
    self.domain = domain
    self.code = code
  }

  /// An error as scenarios write it, `NSURLErrorDomain -1200`; nil when domain or code is none.
  public init?(_ text: String) {
    let parts = text.split(separator: " ")
    guard parts.count == 2, let domain = Domain(rawValue: String(parts[0])), let code = Int(parts[1]) else {
      return nil
    }
    self.init(domain, code)
    if registration == nil { return nil }
  }

  /// The errors that `text` was meant to be, with "or" between: a code alone, a name, or a code with a misspelt domain; nil
  /// where it is none of these.
  public static func meant(by text: String) -> String? {
    let slips: [Character: Character] = ["O": "0", "o": "0", "l": "1", "I": "1"]
    // The end of a word is no number written with letters: the digits must begin one.
    let last = text.split { $0 == " " || $0 == "-" }.last.map(String.init) ?? ""
    let digits = last.first?.isNumber == true ? String(last.map { slips[$0] ?? $0 }) : text
    let code = Int(String(digits.reversed().prefix { $0.isASCII && $0.isNumber }.reversed()))
    let meant = all.filter { abs($0.code) == code || $0.name == text }
    return meant.isEmpty ? nil : meant.map(\.description).joined(separator: " or ")
  }

  /// Every known error with this code; a code on its own can belong to several domains.
  public static func named(code: Int) -> [AppError] {
    Domain.allCases.map { AppError($0, code) }.filter { $0.registration != nil }
  }

  /// Every known error, domain by domain.
  public static var all: [AppError] {
    Domain.allCases.flatMap { domain in domain.registry.map { AppError(domain, $0.code) } }
  }

  /// The row of the domain's table, nil for a code that is not in it.
  public var registration: Registration? { domain.registry.first { $0.code == code } }
  /// Apple's name of the code; empty where it has none.
  public var name: String { registration?.name ?? "" }
  /// What the code says.
  public var meaning: String { registration?.meaning ?? "" }
  /// As scenarios write it: `NSURLErrorDomain -1200`.
  public var description: String { "\(domain.rawValue) \(code)" }
}

extension AppError.Domain {
  /// The codes of the domain, highest first.
  public var registry: [AppError.Registration] {
    switch self {
    case .url: AppError.urlErrors
    case .tls: AppError.tlsErrors
    case .status: AppError.statusErrors
    case .network: AppError.networkErrors
    }
  }
}

extension AppError {
  /// What a user reads, in English, as `NSLocalizedDescription` has it; empty where it is not known.
  public var localizedText: String {
    guard domain == .url else { return "" }
    switch code {
    case -1022:
      return "The resource could not be loaded because the App Transport Security policy requires the use of a "
        + "secure connection."
    case -1200: return "An SSL error has occurred and a secure connection to the server cannot be made."
    case -1202:
      return "The certificate for this server is invalid. You might be connecting to a server that is pretending to "
        + "be “HOST” which could put your confidential information at risk."
    default: return ""
    }
  }

  /// What there is to know about the code besides; empty where there is nothing.
  public var note: String {
    switch (domain, code) {
    case (.url, -1206): "\(Self.linuxNote) \(Self.forbiddenNote)"
    case (.url, -1205 ... -1200): Self.linuxNote
    case (.url, -1): "On Linux every failure of TLS shows as this one: Foundation there asks libcurl."
    case (.tls, -9886 ... -9880):
      "A verdict inside Security. No public report of an error shows it in the place of the code of TLS."
    case (.network, 310):
      "Seen with _kCFStreamErrorDomainKey=4 and _kCFStreamErrorCodeKey=-2096 where a proxy answered CONNECT with 407."
    case (.status, -25300):
      "In a log of iOS 11 beside 'CredStore - copyIdentPrefs': the keychain has no identity that is labelled for the URL "
        + "of a challenge ClientCertificate."
    case (.status, -50): "Of SecTrustEvaluate(NULL, …): the result stays as it was up to iOS 10, and is Invalid since."
    case (.tls, -9802): "The alert's name is not told: this code says that the client refused, not why."
    case (.tls, let code) where name.hasPrefix("errSSLPeer") && code != -9841:
      "Names with 'Peer' are alerts that came from the server."
    default: ""
    }
  }

  private static let linuxNote =
    "Foundation on Linux (swift-corelibs-foundation) has the constants NSURLErrorSecureConnectionFailed to "
    + "NSURLErrorClientCertificateRequired one too low, -1201 to -1207; URLError.Code has the right ones. Compare numbers."
  private static let forbiddenNote =
    "Reported once, of iOS 11, for an HTTP 403 on a connection on which the client had shown its certificate; a 403 is "
    + "played as the response that it is, without an error."

  /// Whether SecBase.h skips this code among its status codes of TLS, -9800 to -9890: it means nothing.
  public static func isUndefined(_ code: Int) -> Bool {
    (-9890 ... -9800).contains(code) && AppError(.tls, code).registration == nil
  }
}
