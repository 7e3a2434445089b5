import Cryptography
import Explanation
import PKIX
import Trust

/// `SecPKCS12Import(_:_:_:)`: what a release of the system makes of a file of PKCS #12 and a passphrase.
///
/// What the systems take was read in Apple's published source of Security. Which release has which source is inferred from
/// their dates, so that the boundary between iOS 17 and iOS 18 is likely and not certain.
public struct PKCS12Import: Sendable {
  /// One of the items that the function returns: `kSecImportItemIdentity` and `kSecImportItemCertChain`.
  public struct Item: Sendable {
    /// The identity: a private key and its certificate.
    public let key: PrivateKey
    /// `kSecImportItemCertChain`: the certificate of the key first, then its issuers as far as the file has them.
    public let chain: [Certificate]
  }

  /// What the file is called: `alice.p12`.
  public let name: String
  /// The system that imports.
  public let os: OSVersion
  /// The result of the function, an OSStatus: 0 is errSecSuccess.
  public let status: Int
  /// How sure that status is.
  public let confidence: Finding.Confidence
  /// The identities. The function succeeds without any where the file has certificates alone.
  public let items: [Item]
  /// Why, by rules that the file and its passphrase keep or break.
  public let findings: [Finding]
  /// The limit of this program because of which it is not known what the system does; nil where none was reached.
  public let limit: String?
  /// What of the file was not used: bags of other kinds, and keys without a certificate.
  public let unused: [String]

  /// Whether the function succeeds.
  public var isSuccess: Bool { status == 0 }

  /// The result as an error; nil where the function succeeds.
  public var error: AppError? { isSuccess ? nil : AppError(.status, status) }

  /// Imports `bytes` as `os` does; `passphrase` is nil where the options have none. What the app does with the passphrase
  /// and with the identity is the app's own, and worth a finding where it is wrong.
  public init(
    _ bytes: [UInt8], passphrase: String?, os: OSVersion, name: String = "identity.p12",
    passphraseIsInBinary: Bool = false, isRetained: Bool = true, enforcement: Enforcement = .standard
  ) {
    let system = System(os)
    let subject = Finding.Subject.message(name)
    let own = [
      passphraseIsInBinary
        ? enforcement.check(.passphraseInBinary, on: subject, false, found: .word("a constant")) : nil,
      isRetained ? nil : enforcement.check(.danglingIdentity, on: subject, false, found: .word("not retained")),
    ].compactMap(\.self)
    let result: Result<PKCS12.Contents, PKCS12Error>
    do throws(PKCS12Error) {
      result = .success(try system.open(bytes, passphrase))
    } catch {
      result = .failure(error)
    }
    switch result {
    case .failure(let error):
      if let limit = Self.limit(error, bytes, passphrase) {
        let doubt = Finding.Confidence.unknown("what \(os) makes of the file")
        let finding = enforcement.note(
          .unsupportedPKCS12, on: subject, .unknown, required: .word("a protection that TrustLab can open"),
          found: .word(limit), confidence: doubt)
        self.init(name, os, Outcome(0, .unsupportedPKCS12, doubt), items: [], own + [finding], limit: limit)
        return
      }
      let outcome = system.outcome(of: error, bytes: bytes, passphrase: passphrase)
      self.init(
        name, os, outcome, items: [],
        own + [
          enforcement.check(
            outcome.rule, on: subject, false, found: .word(error.description), confidence: outcome.confidence)
        ])
    case .success(let contents):
      do throws(PKCS12Error) {
        let items = try Self.items(of: contents)
        let doubts = system.doubts(about: contents, bytes, on: subject, enforcement)
        self.init(
          name, os, Outcome(0, .noIdentity, doubts.first?.confidence ?? .certain), items: items,
          own + doubts + [
            enforcement.check(.badPassphrase, on: subject, true),
            enforcement.check(
              .noIdentity, on: subject, !items.isEmpty, required: .word("a key with its certificate"),
              found: .words([
                "\(contents.keys.filter(\.isShrouded).count) encrypted keys",
                "\(contents.certificates.count) certificates",
              ])),
          ], unused: Self.unused(in: contents))
      } catch {
        let outcome = Outcome(-26275, .malformedPKCS12, .certain)
        self.init(
          name, os, outcome, items: [],
          own + [enforcement.check(outcome.rule, on: subject, false, found: .word(error.description))])
      }
    }
  }

  private init(
    _ name: String, _ os: OSVersion, _ outcome: Outcome, items: [Item], _ findings: [Finding], limit: String? = nil,
    unused: [String] = []
  ) {
    self.limit = limit
    self.unused = unused
    self.name = name
    self.os = os
    status = outcome.status
    confidence = outcome.confidence
    self.items = items
    self.findings = findings
  }

  /// What came of opening a file.
  fileprivate struct Outcome {
    let status: Int
    let rule: Rule
    let confidence: Finding.Confidence

    init(_ status: Int, _ rule: Rule, _ confidence: Finding.Confidence) {
      self.status = status
      self.rule = rule
      self.confidence = confidence
    }
  }

  /// Why this program cannot open the file; nil where it can, and the system cannot.
  private static func limit(_ error: PKCS12Error, _ bytes: [UInt8], _ passphrase: String?) -> String? {
    switch error {
    case .iterations: return error.description
    case .unsupported(let what):
      guard let archive = try? PKCS12.Archive(bytes) else { return "TrustLab does not read \(what)" }
      do throws(PKCS12Error) {
        _ = try archive.open(PKCS12.Passphrase(passphrase ?? ""))
      } catch {
        if case .unsupported(let own) = error { return "TrustLab does not read \(own)" }
      }
      return nil
    case .malformed, .macMismatch, .undecipherable: return nil
    }
  }

  /// The bags that give no item, by kind.
  private static func unused(in contents: PKCS12.Contents) -> [String] {
    let clear = contents.keys.filter { !$0.isShrouded }.map { _ in "keyBag (a key that is not encrypted)" }
    let alone = contents.keys.filter { $0.isShrouded && contents.certificate(of: $0) == nil }.map { key in
      "pkcs8ShroudedKeyBag (a key without its certificate\(key.friendlyName.map { ", \($0.debugDescription)" } ?? ""))"
    }
    return contents.skipped + clear + alone
  }

  /// Every encrypted key that has a certificate; keys that are not encrypted are passed over. Throws where a certificate
  /// or a key cannot be read.
  private static func items(of contents: PKCS12.Contents) throws(PKCS12Error) -> [Item] {
    var certificates: [[UInt8]: Certificate] = [:]
    for entry in contents.certificates {
      do {
        certificates[entry.der] = try Certificate(der: entry.der)
      } catch {
        throw .malformed(error)
      }
    }
    var items: [Item] = []
    for key in contents.keys where key.isShrouded {
      guard let leaf = contents.certificate(of: key).flatMap({ certificates[$0.der] }) else { continue }
      guard let own = try? PrivateKey(der: key.information) else { throw .undecipherable }
      let others = contents.certificates.compactMap { certificates[$0.der] }
      items.append(Item(key: own, chain: chain(from: leaf, others)))
    }
    return items
  }

  /// The certificate and its issuers, as far as they are there.
  private static func chain(from leaf: Certificate, _ others: [Certificate]) -> [Certificate] {
    var chain = [leaf]
    while let last = chain.last, last.issuer != last.subject,
      let issuer = others.first(where: { $0.subject == last.issuer && !chain.contains($0) })
    {
      chain.append(issuer)
    }
    return chain
  }
}

/// What a system can open.
private struct System {
  private let os: OSVersion
  /// Whether it is the source of iOS 18: MACs with SHA-2, and one PBES2.
  private let isNew: Bool
  private let isMac: Bool
  private static let byDate = Finding.Confidence.likely("which release has which source is inferred from dates")

  init(_ os: OSVersion) {
    self.os = os
    isNew = os.isAtLeast(iOS: (18, 0), macOS: (15, 0))
    isMac = os.family == .macOS
  }

  func open(_ bytes: [UInt8], _ passphrase: String?) throws(PKCS12Error) -> PKCS12.Contents {
    let archive = try PKCS12.Archive(bytes)
    switch archive.integrity {
    case .none: throw .unsupported("a file without MAC")
    case .mac(let hash, _) where hash != .sha1 && !isNew: throw .unsupported("a MAC with \(hash.name)")
    case .mac, .pbmac1: break
    }
    guard passphrase != nil || isNew else { throw .macMismatch }
    if isMac, passphrase == "", let contents = try? archive.open(.absent, supports: supports) { return contents }
    return try archive.open(PKCS12.Passphrase(passphrase ?? ""), supports: supports)
  }

  private func supports(_ encryption: PKCS12.Encryption) -> Bool {
    switch encryption.scheme {
    case .pbes1: true
    case .pbes2: isNew
    }
  }

  /// What of the file no public source says of this system, although RFC 7292 and RFC 8018 allow it.
  func doubts(
    about contents: PKCS12.Contents, _ bytes: [UInt8], on subject: Finding.Subject, _ enforcement: Enforcement
  ) -> [Finding] {
    var doubts: [Finding] = []
    let archive = try? PKCS12.Archive(bytes)
    if archive?.isDER == false {
      doubts.append(
        enforcement.note(
          Rule.malformedPKCS12.fixed(by: "Write the file again in DER: openssl pkcs12 -export does."), on: subject,
          .unknown, required: .word("DER, or BER (RFC 7292 section 4)"),
          found: .word("BER, with lengths left open or strings in pieces"),
          confidence: .unknown("whether \(os) reads BER")))
    }
    if archive?.hasPBMAC1 == true {
      doubts.append(
        enforcement.note(
          .unsupportedPKCS12, on: subject, .unknown, required: .word("a MAC of RFC 7292 appendix B"),
          found: .word("PBMAC1 (RFC 9579)"),
          confidence: .unknown("whether \(os) checks PBMAC1; its source names SHA alone")))
    }
    let other = contents.encryptions.first { encryption in
      if case .pbes2(let cipher, let hash) = encryption.scheme { cipher != .aes256 || hash != .sha256 } else { false }
    }
    if let other {
      doubts.append(
        enforcement.note(
          .unsupportedPKCS12, on: subject, .unknown,
          required: .word("PBES1, or PBES2 with AES-256-CBC and HMAC-SHA-256"), found: .word(other.name),
          confidence: .unknown("whether \(os) opens \(other.name)")))
    }
    return doubts
  }

  /// The status that it answers with, and the rule that says why.
  func outcome(of error: PKCS12Error, bytes: [UInt8], passphrase: String?) -> PKCS12Import.Outcome {
    switch error {
    case .macMismatch, .undecipherable:
      if isMac, passphrase == nil {
        return .init(-25260, .badPassphrase, .likely("Apple's tests of the older code of macOS"))
      }
      return .init(-25293, .badPassphrase, .certain)
    case .unsupported:
      // A MAC that it does not know it computes with SHA-1, and finds another: as if the passphrase were wrong.
      let isAuthenticated = (try? PKCS12.Archive(bytes)).map { archive in
        if case .mac(let hash, _) = archive.integrity { hash == .sha1 || isNew } else { true }
      }
      return .init(isAuthenticated == false ? -25293 : -26275, .unsupportedPKCS12, Self.byDate)
    case .iterations:
      return .init(-26275, .unsupportedPKCS12, .unknown("how often a system lets a file have a passphrase hashed"))
    case .malformed:
      return isMac
        ? .init(-25257, .malformedPKCS12, .likely("Apple's tests of the older code of macOS"))
        : .init(-26275, .malformedPKCS12, .certain)
    }
  }
}

extension Rule {
  /// The passphrase opens the file.
  public static let badPassphrase = Rule(
    .pkcs12, "bad-passphrase", "The passphrase is the one that the file was made with.", .rfc(7292, "5"),
    fix: "Ask the person again: errSecAuthFailed (-25293) is also what a damaged file shows.")

  /// The system knows how the file is protected.
  public static let unsupportedPKCS12 = Rule(
    .pkcs12, "unsupported-algorithm", "The system can open files that are protected in the way of this one.",
    .apple("SecPKCS12Import(_:_:_:)"),
    fix: "Write the file again for older systems: openssl pkcs12 -export -keypbe PBE-SHA1-3DES -certpbe PBE-SHA1-3DES "
      + "-macalg sha1, or -legacy.")

  /// The file is one.
  public static let malformedPKCS12 = Rule(
    .pkcs12, "malformed", "The file is a PFX in DER, and its certificates can be read.", .rfc(7292, "4"),
    fix: "Look whether the file is cut short, is PEM, or went through a text conversion or one Base64 too many.")

  /// There is something to show.
  public static let noIdentity = Rule(
    .pkcs12, "no-identity", "The file has a private key with its certificate, each encrypted and under one localKeyId.",
    .apple("kSecImportItemIdentity"),
    fix: "Export key and certificate together. The function succeeds with no items: look at their number before the "
      + "first is taken.")

  /// The app keeps what it takes.
  public static let danglingIdentity = Rule(
    .pkcs12, "dangling-identity", "An app retains an identity that it takes from the array of items.",
    .apple("CFArrayGetValueAtIndex(_:_:)"),
    fix: "CFRetain the identity before the array is released: the name of the function says Get, not Copy.",
    decides: false)

  /// A secret in a program is none.
  public static let passphraseInBinary = Rule(
    .pkcs12, "passphrase-in-binary", "The passphrase of an identity is not in the program that imports it.",
    .apple("kSecImportExportPassphrase"),
    fix: "Have the person type it, or send it another way: who has the app has what is in it.", decides: false)

  /// The rules of identities in files.
  public static let identityFiles: [Rule] = [
    .badPassphrase, .unsupportedPKCS12, .malformedPKCS12, .noIdentity, .danglingIdentity, .passphraseInBinary,
  ]
}

extension PKCS12.Archive {
  fileprivate var hasPBMAC1: Bool { if case .pbmac1 = integrity { true } else { false } }
}
