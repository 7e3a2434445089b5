import Cryptography
import Endpoint
import TLS

/// A key of the scenario language.
public struct Word: Sendable, Hashable {
  /// What may stand behind a key.
  public indirect enum Shape: Sendable, Hashable {
    case text
    case integer
    case date
    case duration
    /// `true` or `false`.
    case flag
    /// One of these words.
    case choice([String])
    case list(Shape)
    /// A map with the words of the section of this name.
    case section(String)
    /// A map from names of the author's own to this.
    case named(Shape)
    /// One of several shapes.
    case either([Shape])
    /// Anything: its words are someone else's.
    case anything
  }

  /// The key as it is written.
  public let name: String
  /// What may stand behind it.
  public let shape: Shape
  /// What it says.
  public let meaning: String

  package init(_ name: String, _ shape: Shape, _ meaning: String) {
    self.name = name
    self.shape = shape
    self.meaning = meaning
  }
}

/// The words of one kind of map in a scenario.
public struct WordSection: Sendable, Hashable {
  /// The section's name: `server`, `client`, …
  public let name: String
  /// What it describes.
  public let meaning: String
  /// Its keys in the order in which they are usually written.
  public let words: [Word]

  package init(_ name: String, _ meaning: String, _ words: [Word]) {
    self.name = name
    self.meaning = meaning
    self.words = words
  }
}

/// Every key of the scenario language, in one table: the strict reader, `list words` and the JSON Schema all read it.
public enum Vocabulary {
  /// All sections, the file itself first.
  public static let sections =
    [
      scenario, certificate, distrust, nameConstraints, timestamps, server, answer, client, serverTrust,
      trustExceptions, request, connection, date, expectation,
      serverExpectation,
      goals,
      knowledge,
      caseRow,
    ] + network + calculations

  static let scenario = WordSection(
    "scenario", "The file: it states only what differs from Scenarios/baseline.yaml.",
    [
      Word("title", .text, "one line that says what the scenario shows"),
      Word("lesson", .text, "the lesson or curriculum id it belongs to"),
      Word("level", .integer, "how demanding it is, from 1"),
      Word("sources", .list(.text), "seed documents, RFC sections and incidents it rests on"),
      Word("disputed", .text, "the two readings of a claim that sources disagree on, and the one chosen"),
      Word("kills", .list(.text), "the validator bugs it catches"),
      Word("sibling", .text, "the accepted case it differs from in one line: a case's name, or another scenario's id"),
      Word("clock", .date, "the day on which the connection happens"),
      Word("seed", .either([.integer, .choice(["counting"]), .text]), "where randomness comes from"),
      Word("authorities", .named(.section("certificate")), "the CA hierarchy: roots, and who signs whom"),
      Word("certificates", .named(.section("certificate")), "certificates that servers present"),
      Word("server", .section("server"), "the one server there is"),
      Word("servers", .named(.section("server")), "several servers, by host"),
      Word("client", .section("client"), "the app and the system it runs on"),
      Word(
        "network", .list(.either([.choice(plainVerbs)] + verbs.map(Word.Shape.section))),
        "who listens, interferes or leaks, in order"),
      Word("request", .either([.text, .section("request")]), "the URL the app loads"),
      Word("requests", .list(.either([.text, .section("request")])), "several URLs, loaded one after the other"),
      Word("connections", .list(.section("connection")), "named connections, each with a client of its own"),
      Word("timeline", .list(.section("date")), "later dates, with what has changed by then"),
      Word("calculation", .section("calculation"), "textbook arithmetic with toy numbers, in the place of connections"),
      Word("expect", .section("expect"), "what must come out"),
      Word("cases", .list(.section("case")), "rows laid over the file, each a case of its own"),
      Word("sweep", .named(.list(.anything)), "a path and the values to try there, each a case of its own"),
    ])

  static let server = WordSection(
    "server", "A server: what it presents and what it speaks.",
    [
      Word("host", .text, "the host name it answers for"),
      Word("presents", .list(.text), "the certificates it sends, leaf first"),
      Word("versions", .list(.choice(versionWords)), "the protocol versions it speaks"),
      Word("cipherSuites", .list(.text), "the cipher suites it accepts, best first"),
      Word("groups", .list(.text), "the groups it does ECDHE with, best first"),
      Word("signatureAlgorithms", .list(.choice(schemeWords)), "how it signs its key exchange, best first"),
      Word("alpn", .list(.text), "the protocols it speaks inside TLS, best first: http/1.1"),
      Word(
        "clientAuthentication", .choice(clientAuthenticationWords),
        "whether it asks who the client is; none, if left out"),
      Word("clientAuthorities", .list(.text), "the authorities it trusts for clients, and names when it asks"),
      Word("sessions", .choice(sessionWords), "whether clients may go on with an earlier session; none, if left out"),
      Word("content", answers, "its answers: 'GET /path': body, or a redirect"),
      Word("random", randomness, "the quality of its randomness: good, or of single values"),
      Word("mutant", .choice(serverMutants), "the historical bug that it has"),
    ])

  static let answer = WordSection(
    "answer", "An answer that sends the client elsewhere, which is a load of its own.",
    [
      Word("redirect", .text, "where to: a URL, or a path of the same server"),
      Word("status", .integer, "the status code: 301, 302, 303, 307 or 308; 302, if left out"),
    ])
  static let answers = Word.Shape.named(.either([.text, .section("answer")]))

  static let client = WordSection(
    "client", "The app and the system it runs on.",
    [
      Word("os", .text, "the operating system: iOS 8, iOS 18.4, macOS 10.13, doc"),
      Word("loader", .text, "the API that loads the URL"),
      Word("linkedSDK", .text, "the SDK that the app is linked against: iOS 8; the system's own, if left out"),
      Word("direct", .flag, "whether the network calls an address direct; told from the address, if left out"),
      Word(
        "infoPlist", .either([.text, .anything]), "the NSAppTransportSecurity dictionary, or the path of an Info.plist"),
      Word("signatureAlgorithms", .list(.choice(schemeWords)), "how the server may sign, best first"),
      Word("alpn", .list(.text), "the protocols it offers to speak inside TLS, best first: http/1.1"),
      Word(
        "serverTrust", .either([.choice(delegateWords), .section("server trust")]),
        "what the app does about the server's certificate: nothing, accept all, or what a map says"),
      Word(
        "fetchesIssuers", .flag,
        "whether it fetches issuers that the server does not present (SecTrustSetNetworkFetchAllowed); true, if left out"
      ),
      Word(
        "revocation", .choice(["none", "soft-fail", "hard-fail"]),
        "whether it looks at the authorities' lists, and goes on or refuses when it cannot; none, if left out"),
      Word(
        "identity", .either([.text, .list(.text)]),
        "the certificate it shows a server that asks who it is, with its issuers below the root; a list of all; none"),
      Word("sessions", .choice(sessionWords), "whether it goes on with an earlier session; none, if left out"),
      Word("random", randomness, "the quality of its randomness: good, or of single values"),
      Word("mutant", .choice(clientMutants), "the historical bug that it or its app has"),
    ])

  static let serverTrust = WordSection(
    "server trust", "What the app does about the server's certificate, beyond the system.",
    [
      Word("delegate", .choice(delegateWords), "its delegate for NSURLAuthenticationMethodServerTrust, by name"),
      Word("adds", .list(.text), "certificates and authorities that it adds to the chain, and evaluates again"),
      Word("anchors", .list(.text), "certificates and authorities that it sets as anchors, and evaluates again"),
      Word("anchorsOnly", .flag, "whether these are then the only anchors; true, if left out"),
      Word("verifyDate", .date, "the date at which it has the chain validated (SecTrustSetVerifyDate)"),
      Word(
        "exceptions", .section("trust exceptions"), "what it lets pass, as a user once decided (SecTrustSetExceptions)"),
      Word("evaluates", .flag, "whether it evaluates the trust again before it reads the result; true, if left out"),
      Word("pins", .list(.text), "certificates and authorities: the path must have the public key of one of them"),
      Word(
        "exemptsUserAnchors", .flag,
        "whether no pin is asked for under a root that the user installed; false, if left out"),
    ])

  static let trustExceptions = WordSection(
    "trust exceptions", "What an app lets pass for one server's certificate; what else fails still fails.",
    [
      Word("certificate", .text, "the server's certificate for which they hold"),
      Word("rules", .list(.text), "the rules of chain and name that it may violate: chain.expired"),
    ])

  static let request = WordSection(
    "request", "One of several loads.",
    [
      Word("url", .text, "the URL the app loads"),
      Word("method", .choice(HTTPRequest.methods), "what is asked for; GET, if left out"),
      Word("body", .text, "what is sent with the request"),
      Word("name", .text, "the name its values are prefixed with"),
      Word("expect", .section("expect"), "what must come out of this load"),
    ])

  static let connection = WordSection(
    "connection", "A named connection with a client of its own.",
    [
      Word("name", .text, "the name its values are prefixed with"),
      Word("client", .section("client"), "laid over the file's client"),
      Word("request", .either([.text, .section("request")]), "the URL the app loads"),
      Word("replays", .text, "the earlier connection whose client's messages an attacker sends again"),
      Word("expect", .section("expect"), "what must come out of this connection"),
    ])

  static let date = WordSection(
    "date", "A later date and what has changed by then.",
    [
      Word("date", .date, "the day"),
      Word("changes", .named(.anything), "paths and their new values"),
      Word("expect", .section("expect"), "what must come out then"),
    ])

  static let expectation = WordSection(
    "expect", "What must come out. What is left out is not checked.",
    [
      Word("verdict", .choice(["accepted", "refused", "hangs", "not-applicable"]), "what the client decides"),
      Word("layer", .text, "the layer that decided first"),
      Word("because", .list(.text), "exactly the violated rules that decide"),
      Word("overridden", .list(.text), "exactly the violated rules that were overridden"),
      Word("decidedBy", .text, "the key path in the Info.plist by which App Transport Security decided, or default"),
      Word("appReview", .list(.text), "exactly the keys that App Review asks about, of those the loads rest on"),
      Word("path", .list(.text), "the certificate path, leaf first"),
      Word(
        "issuerSources", .list(.choice(["caller", "anchors", "system", "network"])),
        "where each issuer on the path was found, the leaf's issuer first"),
      Word("errors", .list(.text), "any of the errors the app may see: NSURLErrorDomain -1200"),
      Word("trustResult", .text, "the SecTrustResultType: kSecTrustResultUnspecified, …"),
      Word("cipherSuite", .text, "the cipher suite that was agreed on"),
      Word("content", .text, "the body the app received"),
      Word("server", .section("server expectation"), "what the server decides"),
      Word("executed", .list(.text), "the requests that servers carry out, in order: POST /pay: pay 100"),
      Word("goals", .section("goals"), "what an attacker could do"),
      Word("knowledge", .named(.section("knowledge")), "who knows what in the end"),
      Word("values", .named(.text), "values by name: a number or text of a calculation, else the bytes in hexadecimal"),
      Word("equal", .list(.list(.text)), "values that must have the same bytes, in groups"),
      Word("different", .list(.list(.text)), "values that must have different bytes, in groups"),
      Word("neverOnWire", .list(.text), "values whose bytes must appear in no message"),
      Word("connections", .named(.section("expect")), "what must come out of single connections, by their names"),
    ])

  static let serverExpectation = WordSection(
    "server expectation", "What the server must decide.",
    [
      Word("verdict", .choice(["accepted", "refused", "hangs"]), "whether it carries a request out"),
      Word("because", .list(.text), "exactly the violated rules that decide"),
    ])

  static let goals = WordSection(
    "goals", "The three risks, each prevented, detected, possible, later or not-applicable.",
    [
      Word("eavesdropping", .choice(goalWords), "can a third party learn the content?"),
      Word("tampering", .choice(goalWords), "can a third party change the content unnoticed?"),
      Word("impersonation", .choice(goalWords), "can a third party pass as the server?"),
    ])

  static let knowledge = WordSection(
    "knowledge", "What a party knows in the end, by the names of values.",
    [
      Word("knows", .list(.text), "values it holds or can compute"),
      Word("lacks", .list(.text), "values it neither holds nor can compute"),
    ])

  static let caseRow = WordSection(
    "case", "A row laid over the file.",
    [
      Word("name", .text, "the case's name"),
      Word("with", .named(.anything), "dotted paths and what is laid there; null removes"),
      Word("expect", .section("expect"), "what must come out, instead of the file's"),
      Word("sibling", .text, "the accepted case it differs from in one line"),
    ])

  static let delegateWords = ServerTrustDescription.Delegate.allCases.map(\.rawValue)
  static let serverMutants = Mutant.all.filter { $0.isOfServers }.map(\.name)
  static let clientMutants = Mutant.all.filter { $0.isOfClients }.map(\.name)
  static let goalWords = ["prevented", "detected", "possible", "later", "not-applicable"]
  static let signatureWords = ["md5", "sha1", "sha256", "sha384", "sha512", "pss-sha256", "pss-sha384", "pss-sha512"]
  static let schemeWords = SignatureScheme.all.filter(\.isImplemented).map(\.name)
  static let clientAuthenticationWords = ClientAuthentication.allCases.map(\.rawValue)
  static let sessionWords = ["none", "resumable"]
  static let versionWords = ["SSLv3", "TLSv1.0", "TLSv1.1", "TLSv1.2", "TLSv1.3"]
  /// `constant`, `repeats`, `16 bits`, `from client_random` or `time and 16 bits`, by the value's name.
  private static let randomness = Word.Shape.either([.choice(["good"]), .named(.text)])
}
