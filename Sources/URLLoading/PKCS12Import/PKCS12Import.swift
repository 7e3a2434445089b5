import Cryptography
import Explanation
import PKIX
import Trust

/// The result of `SecPKCS12Import(_:_:_:)` on a system release for a PKCS #12 file and a passphrase.
///
/// The formats that systems accept come from Apple's published source of Security. The release of each source is
/// inferred from dates. The boundary between iOS 17 and iOS 18 is therefore likely, but not certain.
public struct PKCS12Import: Sendable {
  /// An item that the function returns, with `kSecImportItemIdentity` and `kSecImportItemCertChain`.
  public struct Item: Sendable {
    /// The private key of the identity.
    public let key: PrivateKey
    /// The certificate of the key, followed by its issuers if the file contains them (`kSecImportItemCertChain`).
    public let chain: [Certificate]
  }

  /// The name of the file, such as `alice.p12`.
  public let name: String
  /// The system that imports the file.
  public let os: OSVersion
  /// The result of the function, which is an OSStatus. 0 is errSecSuccess.
  public let status: Int
  /// The confidence in the status.
  public let confidence: Finding.Confidence
  /// The identities. If the file has only certificates, the function succeeds without any identities.
  public let items: [Item]
  /// The findings on the file and its passphrase.
  public let findings: [Finding]
  /// The limit of TrustLab because of which the system's result is unknown; nil if no limit was reached.
  public let limit: String?
  /// The unused parts of the file, which are bags of other kinds and keys without a certificate.
  public let unused: [String]

  /// Whether the function succeeds.
  public var isSuccess: Bool { status == 0 }

  /// The result as an error; nil on success.
  public var error: AppError? { isSuccess ? nil : AppError(.status, status) }

  /// Imports `bytes` like the system `os`; `passphrase` is nil if the options do not contain one.
  ///
  /// The findings include the app's mistakes with the passphrase and the identity.
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
        let doubt = Finding.Confidence.unknown("how \(os) handles the file")
        let finding = enforcement.note(
          .unsupportedPKCS12, on: subject, .unknown, required: .word("a protection that TrustLab supports"),
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

  /// The result of opening a file.
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

  /// Returns the reason why TrustLab cannot open the file; nil if TrustLab can open it, but the system cannot.
  private static func limit(_ error: PKCS12Error, _ bytes: [UInt8], _ passphrase: String?) -> String? {
    switch error {
    case .iterations: return error.description
    case .unsupported(let what):
      guard let archive = try? PKCS12.Archive(bytes) else { return "TrustLab does not support \(what)" }
      do throws(PKCS12Error) {
        _ = try archive.open(PKCS12.Passphrase(passphrase ?? ""))
      } catch {
        if case .unsupported(let own) = error { return "TrustLab does not support \(own)" }
      }
      return nil
    case .malformed, .macMismatch, .undecipherable: return nil
    }
  }

  /// Returns the kinds of bags for which the function returns no item.
  private static func unused(in contents: PKCS12.Contents) -> [String] {
    let clear = contents.keys.filter { !$0.isShrouded }.map { _ in "keyBag (a key that is not encrypted)" }
    let alone = contents.keys.filter { $0.isShrouded && contents.certificate(of: $0) == nil }.map { key in
      "pkcs8ShroudedKeyBag (a key without its certificate\(key.friendlyName.map { ", \($0.debugDescription)" } ?? ""))"
    }
    return contents.skipped + clear + alone
  }

  /// Returns an item for every encrypted key that has a certificate. Unencrypted keys are skipped.
  ///
  /// Throws an error if a certificate or a key cannot be read.
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

  /// Returns the certificate, followed by the issuers that are present.
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

/// The formats that a system can open.
private struct System {
  private let os: OSVersion
  /// Whether the system is based on the source of iOS 18, which supports MACs with SHA-2 and one PBES2 scheme.
  private let isNew: Bool
  private let isMac: Bool
  private static let byDate = Finding.Confidence.likely("TrustLab infers the source code of each release from its date")

  init(_ os: OSVersion) {
    self.os = os
    isNew = os.isAtLeast(iOS: (18, 0), macOS: (15, 0))
    isMac = os.family == .macOS
  }

  func open(_ bytes: [UInt8], _ passphrase: String?) throws(PKCS12Error) -> PKCS12.Contents {
    let archive = try PKCS12.Archive(bytes)
    switch archive.integrity {
    case .none: throw .unsupported("a file without a MAC")
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

  /// Returns the properties of the file for which there is no public source about this system.
  ///
  /// RFC 7292 and RFC 8018 allow these properties.
  func doubts(
    about contents: PKCS12.Contents, _ bytes: [UInt8], on subject: Finding.Subject, _ enforcement: Enforcement
  ) -> [Finding] {
    var doubts: [Finding] = []
    let archive = try? PKCS12.Archive(bytes)
    if archive?.isDER == false {
      doubts.append(
        enforcement.note(
          Rule.malformedPKCS12.fixed(by: "Export the file again with openssl pkcs12 -export, which writes DER."),
          on: subject,
          .unknown, required: .word("DER, or BER (RFC 7292 section 4)"),
          found: .word("BER with indefinite lengths or constructed strings"),
          confidence: .unknown("whether \(os) reads BER")))
    }
    if archive?.hasPBMAC1 == true {
      doubts.append(
        enforcement.note(
          .unsupportedPKCS12, on: subject, .unknown, required: .word("a MAC of RFC 7292 appendix B"),
          found: .word("PBMAC1 (RFC 9579)"),
          confidence: .unknown("whether \(os) verifies PBMAC1; its source code names only MACs based on SHA")))
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

  /// Returns the status of the function, and the rule that explains it.
  func outcome(of error: PKCS12Error, bytes: [UInt8], passphrase: String?) -> PKCS12Import.Outcome {
    switch error {
    case .macMismatch, .undecipherable:
      if isMac, passphrase == nil {
        return .init(-25260, .badPassphrase, .likely("known from Apple's tests of the older macOS code"))
      }
      return .init(-25293, .badPassphrase, .certain)
    case .unsupported:
      // The system computes an unknown MAC with SHA-1 and gets another value, so the passphrase appears to be wrong.
      let isAuthenticated = (try? PKCS12.Archive(bytes)).map { archive in
        if case .mac(let hash, _) = archive.integrity { hash == .sha1 || isNew } else { true }
      }
      return .init(isAuthenticated == false ? -25293 : -26275, .unsupportedPKCS12, Self.byDate)
    case .iterations:
      return .init(
        -26275, .unsupportedPKCS12,
        .unknown(
          "the maximum number of passphrase iterations that the system accepts"))
    case .malformed:
      return isMac
        ? .init(-25257, .malformedPKCS12, .likely("known from Apple's tests of the older macOS code"))
        : .init(-26275, .malformedPKCS12, .certain)
    }
  }
}

extension Rule {
  /// The passphrase opens the file.
  public static let badPassphrase = Rule(
    .pkcs12, "bad-passphrase", "The passphrase is the one that protects the file.", .rfc(7292, "5"),
    fix: "Ask the user again; note that a damaged file also results in errSecAuthFailed (-25293).")

  /// The system supports the encryption and the MAC of the file.
  public static let unsupportedPKCS12 = Rule(
    .pkcs12, "unsupported-algorithm", "The system supports the encryption and the MAC of the file.",
    .apple("SecPKCS12Import(_:_:_:)"),
    fix: "Export the file again for older systems: openssl pkcs12 -export -keypbe PBE-SHA1-3DES -certpbe PBE-SHA1-3DES "
      + "-macalg sha1, or -legacy.")

  /// The file is a PKCS #12 file.
  public static let malformedPKCS12 = Rule(
    .pkcs12, "malformed", "The file contains a well-formed PFX, and its certificates can be decoded.", .rfc(7292, "4"),
    fix: "Check whether the file is truncated, is PEM, or was changed by a text conversion or a second Base64 encoding."
  )

  /// The file contains an identity.
  public static let noIdentity = Rule(
    .pkcs12, "no-identity", "The file contains an encrypted private key and its certificate, with the same localKeyId.",
    .apple("kSecImportItemIdentity"),
    fix: "Export the key and certificate together. The function also succeeds with no items: check the count before "
      + "you use the first item.")

  /// The app retains the identity that it uses.
  public static let danglingIdentity = Rule(
    .pkcs12, "dangling-identity", "An app retains an identity that it gets from the array of items.",
    .apple("CFArrayGetValueAtIndex(_:_:)"),
    fix: "Call CFRetain on the identity before you release the array: a Get function does not transfer ownership.",
    decides: false)

  /// The program does not contain the passphrase.
  public static let passphraseInBinary = Rule(
    .pkcs12, "passphrase-in-binary", "The program that imports an identity does not contain the passphrase.",
    .apple("kSecImportExportPassphrase"),
    fix: "Ask the user for the passphrase, or send it separately: anyone can read the app's contents.", decides: false)

  /// The rules about identities in files.
  public static let identityFiles: [Rule] = [
    .badPassphrase, .unsupportedPKCS12, .malformedPKCS12, .noIdentity, .danglingIdentity, .passphraseInBinary,
  ]
}

extension PKCS12.Archive {
  fileprivate var hasPBMAC1: Bool { if case .pbmac1 = integrity { true } else { false } }
}
