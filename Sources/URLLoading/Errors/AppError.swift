/// An error that an app or its log shows: a domain and a code.
///
/// The numbers are Apple's. They are repeated here because some numbers in swift-corelibs-foundation are off by one.
public struct AppError: Sendable, Hashable, CustomStringConvertible {
  /// The domain of a code.
  public enum Domain: String, Sendable, Hashable, CaseIterable {
    /// Errors of the URL Loading System.
    case url = "NSURLErrorDomain"
    /// Status codes of TLS. They are the stream code in an error's user info, with domain 3, as in `[3:-9802]`.
    case tls = "kCFStreamErrorDomainSSL"
    /// Results of trust evaluation.
    case status = "NSOSStatusErrorDomain"
    /// Errors of CFNetwork about proxies, which reach the app unchanged.
    case network = "kCFErrorDomainCFNetwork"
  }

  /// An entry in the table of a domain.
  public struct Registration: Sendable, Hashable {
    /// The code, which is negative except for codes of CFNetwork.
    public let code: Int
    /// Apple's name, such as `NSURLErrorSecureConnectionFailed` or `errSSLFatalAlert`.
    public let name: String
    /// The meaning; empty if the name is sufficient.
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

  /// Creates an error. The code need not be known.
  public init(_ domain: Domain, _ code: Int) {
    self.domain = domain
    self.code = code
  }

  /// Reads an error in the spelling of scenarios, such as `NSURLErrorDomain -1200`; nil if the domain or the code is
  /// unknown.
  public init?(_ text: String) {
    let parts = text.split(separator: " ")
    guard parts.count == 2, let domain = Domain(rawValue: String(parts[0])), let code = Int(parts[1]) else {
      return nil
    }
    self.init(domain, code)
    if registration == nil { return nil }
  }

  /// Returns the errors that `text` probably means, separated by "or"; nil if there are none.
  ///
  /// The text can be a code alone, a name, or a code with a misspelt domain.
  public static func meant(by text: String) -> String? {
    let slips: [Character: Character] = ["O": "0", "o": "0", "l": "1", "I": "1"]
    // Digits at the end of a word with letters are not a number: the digits must begin a word.
    let last = text.split { $0 == " " || $0 == "-" }.last.map(String.init) ?? ""
    let digits = last.first?.isNumber == true ? String(last.map { slips[$0] ?? $0 }) : text
    let code = Int(String(digits.reversed().prefix { $0.isASCII && $0.isNumber }.reversed()))
    let meant = all.filter { abs($0.code) == code || $0.name == text }
    return meant.isEmpty ? nil : meant.map(\.description).joined(separator: " or ")
  }

  /// Returns all known errors with this code, which can belong to more than one domain.
  public static func named(code: Int) -> [AppError] {
    Domain.allCases.map { AppError($0, code) }.filter { $0.registration != nil }
  }

  /// All known errors, grouped by domain.
  public static var all: [AppError] {
    Domain.allCases.flatMap { domain in domain.registry.map { AppError(domain, $0.code) } }
  }

  /// The entry in the domain's table; nil if the table does not contain the code.
  public var registration: Registration? { domain.registry.first { $0.code == code } }
  /// Apple's name of the code; empty if it has none.
  public var name: String { registration?.name ?? "" }
  /// The meaning of the code.
  public var meaning: String { registration?.meaning ?? "" }
  /// The error in the spelling of scenarios, such as `NSURLErrorDomain -1200`.
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
  /// The English text for the user (`NSLocalizedDescription`); empty if it is not known.
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

  /// Additional facts about the code; empty if there are none.
  public var note: String {
    switch (domain, code) {
    case (.url, -1206): "\(Self.linuxNote) \(Self.forbiddenNote)"
    case (.url, -1205 ... -1200): Self.linuxNote
    case (.url, -1): "On Linux, every TLS failure has this code, because Foundation uses libcurl there."
    case (.tls, -9886 ... -9880):
      "This is an internal status of the Security framework. No public error report shows it in place of the TLS code."
    case (.network, 310):
      "Observed with _kCFStreamErrorDomainKey=4 and _kCFStreamErrorCodeKey=-2096 when a proxy responded to CONNECT "
        + "with 407."
    case (.status, -25300):
      "In an iOS 11 log, next to 'CredStore - copyIdentPrefs', it means that the keychain has no identity preference "
        + "for the URL of a ClientCertificate challenge."
    case (.status, -50):
      "SecTrustEvaluate(NULL, …) returns this status. The result is unchanged up to iOS 10, and "
        + "Invalid on later systems."
    case (.tls, -9802): "The code shows that the client refused the connection, but neither the alert nor the reason."
    case (.tls, let code) where name.hasPrefix("errSSLPeer") && code != -9841:
      "A name with 'Peer' means that the alert came from the server."
    default: ""
    }
  }

  private static let linuxNote =
    "In Foundation on Linux (swift-corelibs-foundation), the constants NSURLErrorSecureConnectionFailed to "
    + "NSURLErrorClientCertificateRequired are too low by one (-1201 to -1207). URLError.Code has the correct "
    + "numbers: compare those."
  private static let forbiddenNote =
    "One report shows the code on iOS 11, for an HTTP 403 after the client sent its certificate. TrustLab treats a 403 "
    + "as a response, not an error."

  /// Returns whether SecBase.h does not define this code among its TLS status codes (-9800 to -9890).
  public static func isUndefined(_ code: Int) -> Bool {
    (-9890 ... -9800).contains(code) && AppError(.tls, code).registration == nil
  }
}
