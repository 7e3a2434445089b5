import Trust

/// The errors that a line of a device's log or a printed error names, and the URL of the load.
///
/// ```
/// NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9802)
/// Task <…>.<1> finished with error [-1200] Error Domain=NSURLErrorDomain Code=-1200 "…" UserInfo={…}
/// ```
public struct LogLine: Sendable, Hashable {
  /// A failed check, or a group of failed checks, as written in the line.
  public struct Cause: Sendable, Hashable {
    /// The name or the text in the line, such as `AnchorTrusted (leaf)`.
    public let name: String
    /// The meaning of the failure.
    public let meaning: String
    /// The fix for the failure.
    public let fix: String
    /// The ids of the rules that may be violated.
    public let rules: [String]
  }

  /// The distinct errors in the line, in order.
  public let errors: [AppError]
  /// The distinct failed checks in the line, in order.
  public let causes: [Cause]
  /// The URL that failed; nil if the line does not contain one.
  public let url: LoadURL?

  /// Reads a line; nil if it contains neither an error nor a failed check. Only the first 64 KiB of a line are read.
  public init?(_ text: String) {
    let bytes = Array(text.utf8.prefix(1 << 16))
    let line = String(decoding: bytes, as: UTF8.self)
    var errors: [AppError] = []
    for token in Self.tokens(of: line) where !errors.contains(token) { errors.append(token) }
    if errors.isEmpty { errors = Self.errors(bySentenceIn: line) }
    if errors.isEmpty { errors = Self.errors(byWordIn: line) }
    causes = Self.causes(in: line, naming: errors)
    guard !errors.isEmpty || !causes.isEmpty else { return nil }
    self.errors = errors
    url = Self.url(in: line)
  }

  /// Reads a single code, with or without its sign, or the name of a code: `-9802`, `errSSLHostNameMismatch`.
  ///
  /// The result is nil if there is no such error.
  public init?(naming word: String) {
    let number = Int(word)
    errors =
      number.map { $0 == .min ? [] : AppError.named(code: -abs($0)) } ?? AppError.all.filter { $0.name == word }
    causes = Self.causes(in: "", naming: errors)
    url = nil
    if errors.isEmpty { return nil }
  }

  /// The names of domains and keys that precede a code.
  private static let markers: [(name: String, domain: AppError.Domain)] = [
    ("kCFStreamErrorDomainSSL", .tls), ("_kCFStreamErrorCodeKey", .tls), ("NSURLErrorDomain", .url),
    ("kCFErrorDomainCFNetwork", .network), ("NSOSStatusErrorDomain", .status), ("finished with error [", .url),
    ("finished with error - code", .url), ("[3:", .tls), ("failed to connect 3:", .tls), ("]: 3:", .tls),
    ("SSLHandshake failed (", .tls), ("TLS Trust encountered error 3:", .tls),
    ("TLS Trust evaluation failed(", .tls), ("TLS Trust evaluation failed (", .tls),
    ("(error code:", .url), ("_kCFNetworkCFStreamSSLErrorOriginalValue", .tls), ("kNWErrorDomainTLS", .tls),
    ("OSStatus error", .status), ("OSStatus", .status), ("tls_handshake_process: [", .tls),
  ]

  /// Returns the errors that sentences without a code describe.
  private static func errors(bySentenceIn line: String) -> [AppError] {
    let text = line.lowercased()
    let isAboutATS = text.contains("app transport security") || text.contains("ats policy")
    let blocks = ["blocked", "requires the use of a secure connection", "does not conform"]
    if isAboutATS, blocks.contains(where: { text.contains($0) }) { return [AppError(.url, -1022)] }
    if text.contains("system trust failed") || text.contains("failed system trust") {
      return AppError.Situation.trustUnderATS.errors
    }
    if text.contains("ats violation") { return [AppError(.tls, -9880)] }
    if let described = descriptions.first(where: { line.contains($0.text) }) { return [AppError(.url, described.code)] }
    return alert(in: line).map { [$0] } ?? []
  }

  /// The texts of NSLocalizedDescription, for apps that log only these.
  private static let descriptions: [(text: String, code: Int)] = [
    ("An SSL error has occurred and a secure connection to the server cannot be made", -1200),
    ("The certificate for this server is invalid", -1202),
    ("The certificate for this server has expired", -1201),
    ("The certificate for this server is not yet valid", -1204),
    ("signed by an unknown certifying authority", -1203), ("did not accept the certificate", -1205),
    ("requires a client certificate", -1206),
  ]

  /// Returns the errors for codes, and for Apple's names of codes, that are words of the line. A group of digits in a
  /// UUID is part of a longer word.
  private static func errors(byWordIn line: String) -> [AppError] {
    let words = line.split { !isOfWord($0) }.map(String.init)
    guard words.count > 1 else { return [] }
    let text = line.lowercased()
    // A number such as -1000 may be an offset from UTC.
    let isFailure = ["error", "fail", "code"].contains { text.contains($0) }
    var found: [AppError] = []
    for word in words {
      guard let known = error(ofWord: word), isFailure || known.domain != .url, !found.contains(known) else { continue }
      found.append(known)
    }
    return found
  }

  private static func isOfWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "-" || character == "_" || character == "."
  }

  /// Returns the error for a word. Small numbers (-50, -999) are ambiguous; a code of four or more digits has only one
  /// domain.
  private static func error(ofWord word: String) -> AppError? {
    let word = word.hasSuffix(".") ? String(word.dropLast()) : word
    guard let code = Int(word) else {
      let isName = ["errSSL", "errSec", "NSURLError"].contains { word.hasPrefix($0) }
      return isName ? AppError.all.first { $0.name == word } : nil
    }
    guard code <= -1000 else { return nil }
    return [.tls, .url, .status].lazy.map { AppError($0, code) }.first { $0.registration != nil }
  }

  /// Returns the error of an alert from the server: `boringssl_… read alert, level: fatal, description: handshake
  /// failure`.
  ///
  /// For alerts that the client sends, other lines of the log show the reason.
  private static func alert(in line: String) -> AppError? {
    guard line.contains("boringssl"), line.contains("read alert"), let range = line.firstRange(of: "description: ")
    else { return nil }
    let name = line[range.upperBound...].prefix { $0.isLetter || $0 == " " || $0 == "_" }
    let words = name.split { $0 == " " || $0 == "_" }.joined(separator: " ").lowercased()
    return alerts[words].map { AppError(.tls, $0) }
  }

  /// Security's codes for alerts from the peer (RFC 5246 section 7.2).
  private static let alerts = [
    "unexpected message": -9819, "bad record mac": -9820, "record overflow": -9822, "handshake failure": -9824,
    "bad certificate": -9825, "unsupported certificate": -9826, "certificate revoked": -9827,
    "certificate expired": -9828, "certificate unknown": -9829, "illegal parameter": -9830, "unknown ca": -9831,
    "access denied": -9832, "decode error": -9833, "decrypt error": -9834, "protocol version": -9836,
    "insufficient security": -9837, "internal error": -9838, "user canceled": -9839, "no renegotiation": -9840,
  ]

  /// Returns the errors for codes that directly follow a name: `NSURLErrorDomain Code=-1200`,
  /// `(kCFStreamErrorDomainSSL, -9802)`.
  private static func tokens(of line: String) -> [AppError] {
    var found: [(place: String.Index, error: AppError)] = []
    for marker in markers {
      var rest = line[...]
      while let range = rest.firstRange(of: marker.name) {
        rest = rest[range.upperBound...]
        guard let code = code(after: rest), let error = registered(marker.domain, code) else { continue }
        found.append((range.lowerBound, error))
      }
    }
    return found.sorted { $0.place < $1.place }.map(\.error)
  }

  /// The texts that can separate a name from its code.
  private static let between = [" Code=", " error ", ", ", ": ", "=", " ", ""]

  private static func code(after rest: Substring) -> Int? {
    guard let gap = between.first(where: { rest.hasPrefix($0) && startsNumber(rest.dropFirst($0.count)) }) else {
      return nil
    }
    let digits = rest.dropFirst(gap.count)
    let sign = digits.hasPrefix("-") ? "-" : ""
    return Int(sign + digits.dropFirst(sign.count).prefix(6).prefix { $0.isASCII && $0.isNumber })
  }

  private static func startsNumber(_ text: Substring) -> Bool {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text
    return digits.first.map { $0.isASCII && $0.isNumber } ?? false
  }

  /// Returns the error with its actual domain.
  ///
  /// CFNetwork also prints errors of the URL Loading System under its own name, and a status of Security can be a TLS
  /// code.
  private static func registered(_ domain: AppError.Domain, _ code: Int) -> AppError? {
    let candidates: [AppError.Domain] =
      switch domain {
      case .network: [.network, .url]
      case .status: [.status, .tls]
      default: [domain]
      }
    return candidates.lazy.map { AppError($0, code) }.first { $0.registration != nil }
  }

  private static func url(in line: String) -> LoadURL? {
    for key in ["NSErrorFailingURLStringKey=", "NSErrorFailingURLKey=", "https://", "http://"] {
      guard let range = line.firstRange(of: key) else { continue }
      let start = key.hasSuffix("=") ? range.upperBound : range.lowerBound
      let text = line[start...].prefix { !" ,;}\"')>".contains($0) }
      if let url = try? LoadURL(String(text)), url.isHTTP { return url }
    }
    return nil
  }

  /// The situations in which all errors of the line can occur together. If there are none, the situations in which any
  /// of them can occur.
  public var situations: [AppError.Situation] {
    let all = AppError.Situation.all.filter { situation in errors.contains(where: situation.errors.contains) }
    let whole = all.filter { situation in errors.allSatisfy(situation.errors.contains) }
    return whole.isEmpty ? all : whole
  }
}

extension LogLine {
  /// Returns the failed checks of a line, identified by names, texts, or codes of trust evaluation and App Transport
  /// Security.
  private static func causes(in line: String, naming errors: [AppError]) -> [Cause] {
    let named = namedChecks(in: line)
    let texts = named.isEmpty ? causes(byTextIn: line.lowercased()) : named
    return texts.isEmpty ? errors.compactMap { cause($0) } : texts
  }

  /// Returns the checks in a list such as `[leaf AnchorTrusted SSLHostname]`, with the certificate that fails them.
  private static func namedChecks(in line: String) -> [Cause] {
    let isList = line.contains("Trust evaluate failure") || line.contains("[leaf ") || line.contains("[root ")
    var place = ""
    var found: [Cause] = []
    for word in line.split(whereSeparator: { !($0.isLetter || $0.isNumber) }).map(String.init) {
      if isPlace(word) { place = word }
      let name = word.hasPrefix("kSecPolicyCheck") ? String(word.dropFirst("kSecPolicyCheck".count)) : word
      guard let check = TrustCheck.named(name), isList || check.isDistinctive || name != word else { continue }
      let failed = Self.cause(of: check, at: isList ? place : "")
      if !found.contains(failed) { found.append(failed) }
    }
    return found
  }

  /// Returns whether a word is Security's name for a certificate of a path.
  ///
  /// The names are leaf, ca1, ca2 and so on, and root.
  private static func isPlace(_ word: String) -> Bool {
    if word == "leaf" || word == "root" { return true }
    return word.hasPrefix("ca") && word.count > 2 && word.dropFirst(2).allSatisfy(\.isNumber)
  }

  private static func cause(of check: TrustCheck, at place: String) -> Cause {
    // The system found no issuer, because the path contains a single certificate.
    let isAlone = check.name == "AnchorTrusted" && place == "leaf"
    let addition =
      isAlone
      ? " It ends at the server's own certificate, which is self-signed or whose issuer is "
        + "missing." : ""
    return Cause(
      name: check.name + (place.isEmpty ? "" : " (\(place))"), meaning: check.meaning + addition, fix: check.fix,
      rules: check.rules + (isAlone ? ["chain.no-issuer"] : []))
  }

  private static func causes(byTextIn text: String) -> [Cause] {
    let groups = TrustCheck.shortForms.filter { text.contains($0.text) }.map {
      Cause(name: "\"… \($0.text)\"", meaning: $0.meaning, fix: $0.fix, rules: $0.rules)
    }
    let checks = TrustCheck.all.filter { check in
      // The text of extendedKeyUsage ends with the text of keyUsage.
      !check.text.isEmpty && text.contains(check.text)
        && !(check.name == "KeyUsage" && text.contains("extended " + check.text))
    }
    return checks.map { cause(of: $0, at: "") } + groups
  }

  /// Returns the cause that corresponds to a status of trust evaluation, or to a code of App Transport Security.
  private static func cause(_ error: AppError) -> Cause? {
    let rules: [String] =
      switch error.domain {
      case .status: AppError.rules(evaluatingAs: error)
      case .tls: TrustCheck.violations[error.code] ?? []
      case .url, .network: []
      }
    guard !rules.isEmpty else { return nil }
    let isATS = error.domain == .tls
    return Cause(
      name: "\(error.name)", meaning: error.meaning,
      fix: isATS
        ? "Run 'trustlab ats diagnostics URL' to see the failed requirements and a sufficient exception."
        : TrustCheck.fix(for: rules), rules: rules)
  }
}

extension AppError.Situation {
  /// A reason why a load cannot be in a situation.
  public enum Exclusion: Sendable, Hashable {
    /// App Transport Security is in force for the load.
    case inForce
    /// App Transport Security is not in force for the load.
    case notInForce
    /// App Transport Security blocks the load.
    case blocked
    /// App Transport Security allows the load and all its redirects.
    case allowed
    /// The load does not use https.
    case notSecure
    /// The app receives the response of the proxy.
    case proxyResponse
    /// The system reports another code.
    case otherCode
    /// The system does not support the pins in the property list.
    case pinsNotRead
    /// The property list has no pins for the host.
    case notPinned
  }

  /// Returns the reason why a load cannot be in the situation; nil if it can.
  ///
  /// - Parameters:
  ///   - decision: the decision about the load.
  ///   - configuration: the app's configuration; empty if unknown.
  public func exclusion(
    under decision: AppTransportSecurity.Decision, by configuration: AppTransportSecurity.Configuration = .empty
  ) -> Exclusion? {
    let isNew = decision.load.os.isAtLeast(iOS: (13, 0), macOS: (10, 15))
    switch self {
    case .blockedLoad:
      // A load that is allowed may be redirected to one that is not.
      if decision.verdict == .blocked || AppTransportSecurity.mayBlockRedirect(of: decision.load, by: configuration) {
        return nil
      }
      return .allowed
    case _ where decision.verdict == .blocked: return .blocked
    case .noTunnel: return decision.load.url.isSecure ? nil : .proxyResponse
    case _ where isOfTLS && !decision.load.url.isSecure: return .notSecure
    case .trustUnderATS: return decision.isRequired ? nil : .notInForce
    case .unknownRoot, .otherTrustFailure: return decision.isRequired ? .inForce : isNew ? nil : .otherCode
    case .unknownRootEarlier, .otherTrustFailureEarlier: return decision.isRequired ? .inForce : nil
    case .expired, .nameMismatch, .notYetValid: return decision.isRequired ? .inForce : nil
    case .pinMismatch:
      let isPinned = decision.pinnedIdentities != nil || decision.lacksRequiredPins
      if isPinned { return nil }
      let isPinnedLater = configuration.pinnedIdentities(for: decision.load.url.host, os: OSVersion(.iOS, 18)) != nil
      return isPinnedLater ? .pinsNotRead : .notPinned
    default: return nil
    }
  }

  private var isOfTLS: Bool { errors.contains { $0.domain == .tls || (-1206 ... -1200).contains($0.code) } }
}

extension AppTransportSecurity {
  /// Returns whether a redirect of `load` to http may be blocked.
  ///
  /// Every redirect is decided separately. The function therefore checks a host without an entry, and each host with an
  /// entry. For example, apple.com redirects to www.apple.com ("Cocoa Keys", listing 2).
  static func mayBlockRedirect(of load: Load, by configuration: Configuration) -> Bool {
    guard load.url.isHTTP else { return false }
    return (["elsewhere.invalid"] + configuration.domains.map(\.name)).contains { host in
      guard let url = try? LoadURL("http://\(host.contains(":") ? "[\(host)]" : host)/") else { return false }
      let hop = Load(
        url, os: load.os, loader: load.loader, linkedSDK: load.linkedSDK, isApplesOwn: load.isApplesOwn)
      return decide(hop, by: configuration).verdict != .allowed
    }
  }
}
