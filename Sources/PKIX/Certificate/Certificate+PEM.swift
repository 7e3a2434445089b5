import Cryptography

extension Certificate {
  /// The reason why no certificates can be read from a file.
  public enum FileError: Error, Sendable, CustomStringConvertible {
    /// The text is not PEM.
    case pem(PEMError)
    /// The block that begins on `line` is not a certificate; the line is nil for a DER file.
    case certificate(CertificateError, line: Int?)
    /// The file contains no certificate, but blocks with these labels. DER data is listed under its PEM label.
    case noCertificate(labels: [String])
    /// The file is empty.
    case empty

    /// A description of the error and its location.
    public var description: String {
      switch self {
      case .pem(let error): "\(error)"
      case .certificate(let error, let line): (line.map { "line \($0): " } ?? "") + error.description
      case .noCertificate(let labels):
        "the file contains no certificate, but \(FileError.words(labels))"
      case .empty: "the file is empty"
      }
    }

    /// Describes blocks with the given labels, such as `a PRIVATE KEY, an X509 CRL` or `a PKCS #12 file`.
    public static func words(_ labels: [String]) -> String {
      labels.map { label in
        if label.hasPrefix("PKCS"), let number = Int(label.dropFirst(4)) { return "a PKCS #\(number) file" }
        if label != label.uppercased() { return "a block with the label \(label.prefix(40).debugDescription)" }
        let isSpelled = ["RSA ", "X509 ", "SSH2 "].contains { label.hasPrefix($0) }
        let hasVowel = label.first.map { "AEIO".contains($0) } ?? false
        return "\(isSpelled || hasVowel ? "an" : "a") \(label)"
      }.joined(separator: ", ")
    }
  }

  /// Reads the certificates in a file, in order. Throws an error if one is unreadable.
  ///
  /// The file is PEM (RFC 7468), one or more DER certificates, or a PKCS #7 bundle in either form. PEM blocks with
  /// other labels are ignored.
  public static func certificates(inPEMOrDER bytes: [UInt8]) throws(FileError) -> [Certificate] {
    let contents = try FileContents(bytes)
    if let first = contents.unreadable.first { throw .certificate(first.error, line: first.line) }
    return contents.certificates
  }

  /// The certificates in a file, and the errors for those that cannot be read.
  public struct FileContents: Sendable {
    /// The readable certificates, in order.
    public private(set) var certificates: [Certificate] = []
    /// The errors for the unreadable certificates, with the line on which each begins. The line is nil for a DER file.
    public private(set) var unreadable: [(error: CertificateError, line: Int?)] = []
    /// Whether the first certificate in the file is readable.
    public private(set) var isFirstReadable = true
    /// The labels of the blocks without a certificate, with the line on which each begins.
    public private(set) var unused: [(label: String, line: Int)] = []
    /// Whether the certificates come from PKCS #7, which stores them as a SET (RFC 5652 section 5.1). The most likely
    /// server certificate is then moved to the front.
    public private(set) var isSet = false
    /// The number of certificates in a PKCS #7 set that may be the server's.
    public private(set) var leafCount = 0
    /// The lines of the TRUSTED CERTIFICATE blocks. Their trust settings are ignored.
    public private(set) var trusted: [Int] = []

    /// Reads a file. Throws an error if no certificate in it can be read.
    public init(_ bytes: [UInt8]) throws(FileError) {
      guard !bytes.isEmpty else { throw .empty }
      if bytes.first == DERTag.sequence { try read(der: bytes) } else { try read(pem: bytes) }
      if certificates.isEmpty, let first = unreadable.first { throw .certificate(first.error, line: first.line) }
    }

    private mutating func read(der bytes: [UInt8]) throws(FileError) {
      do throws(CertificateError) { certificates = [try Certificate(der: bytes)] } catch {
        if let bundle = Certificate.bundle(BER.definite(bytes) ?? bytes) {
          add(bundle, line: nil)
          guard !certificates.isEmpty || !unreadable.isEmpty else { throw .noCertificate(labels: ["PKCS7"]) }
        } else if let label = Certificate.label(ofDER: bytes) {
          throw .noCertificate(labels: [label])
        } else if let rows = Certificate.rows(bytes), rows.count > 1 {
          for der in rows { add(der, line: nil) }
        } else {
          throw .certificate(error, line: nil)
        }
      }
    }

    private mutating func read(pem bytes: [UInt8]) throws(FileError) {
      let text = TextEncoding.text(of: bytes) ?? String(decoding: bytes, as: UTF8.self)
      let blocks: [PEM.Block]
      do throws(PEMError) { blocks = try PEM.decode(text, wanted: Certificate.labels.contains) } catch {
        guard !text.contains("-----"), let der = try? Base64.decode(text), der.first == DERTag.sequence else {
          throw .pem(error)
        }
        return try read(der: der)
      }
      for block in blocks { read(block) }
      guard !certificates.isEmpty || !unreadable.isEmpty else { throw .noCertificate(labels: blocks.map(\.label)) }
    }

    private mutating func read(_ block: PEM.Block) {
      switch block.label {
      case "CERTIFICATE", "X509 CERTIFICATE", "X.509 CERTIFICATE": add(block.bytes, line: block.line)
      case "TRUSTED CERTIFICATE":
        // OpenSSL appends its trust settings to the certificate: X509_CERT_AUX.
        trusted.append(block.line)
        add(Certificate.first(of: block.bytes) ?? block.bytes, line: block.line)
      case "PKCS7", "CMS":
        guard let bundle = Certificate.bundle(BER.definite(block.bytes) ?? block.bytes), !bundle.isEmpty else {
          return unused.append((block.label, block.line))
        }
        add(bundle, line: block.line)
      default: unused.append((block.label, block.line))
      }
    }

    /// Adds the certificates of a PKCS #7 set, with the most likely server certificate first. It is a certificate that
    /// issued no other and is not a CA.
    private mutating func add(_ bundle: [[UInt8]], line: Int?) {
      let start = certificates.count
      for der in bundle { add(der, line: line) }
      let set = certificates[start...]
      guard set.count > 1 else { return }
      let ends = set.filter { one in !set.contains { $0 != one && $0.issuer == one.subject } }
      let leaves = ends.filter { $0.basicConstraints?.isCA != true }
      guard start == 0, let leaf = leaves.first ?? ends.first, let place = set.firstIndex(of: leaf) else { return }
      (isSet, leafCount, isFirstReadable) = (true, max(leaves.count, 1), true)
      certificates.remove(at: place)
      certificates.insert(leaf, at: start)
    }

    private mutating func add(_ der: [UInt8], line: Int?) {
      do throws(CertificateError) { certificates.append(try Certificate(der: der)) } catch {
        if certificates.isEmpty { isFirstReadable = false }
        unreadable.append((error, line))
      }
    }
  }

  /// The labels of PEM blocks that contain certificates.
  private static let labels: Set<String> = [
    "CERTIFICATE", "X509 CERTIFICATE", "X.509 CERTIFICATE", "TRUSTED CERTIFICATE", "PKCS7", "CMS",
  ]

  /// Returns the first of several SEQUENCEs.
  private static func first(of bytes: [UInt8]) -> [UInt8]? {
    var whole = DERCursor(bytes)
    return (try? whole.next("Certificate", DERTag.sequence)).map { whole.encoding($0) }
  }

  /// Splits the bytes into consecutive SEQUENCEs; nil if there is another value between them.
  private static func rows(_ bytes: [UInt8]) -> [[UInt8]]? {
    var whole = DERCursor(bytes)
    var rows: [[UInt8]] = []
    while !whole.isAtEnd {
      guard let element = try? whole.next("Certificate", DERTag.sequence) else { return nil }
      rows.append(whole.encoding(element))
    }
    return rows
  }

  /// Returns the encoded certificates of a SignedData value (RFC 5652 section 5.1); nil for other bytes.
  private static func bundle(_ bytes: [UInt8]) -> [[UInt8]]? {
    var whole = DERCursor(bytes)
    guard let outer = try? whole.next("ContentInfo", DERTag.sequence), whole.isAtEnd else { return nil }
    var info = whole.inside(outer)
    guard (try? info.objectIdentifier("contentType")) == signedData,
      let tagged = try? info.next("content", DERTag.context(0, constructed: true))
    else { return nil }
    var content = info.inside(tagged)
    guard let signed = try? content.next("SignedData", DERTag.sequence) else { return nil }
    var parts = content.inside(signed)
    for (field, tag) in [
      ("version", DERTag.integer), ("digestAlgorithms", DERTag.set), ("encapContentInfo", DERTag.sequence),
    ] { guard (try? parts.next(field, tag)) != nil else { return nil } }
    guard let set = try? parts.optional("certificates", DERTag.context(0, constructed: true)) else { return [] }
    var list = parts.inside(set)
    var certificates: [[UInt8]] = []
    while !list.isAtEnd, let element = try? list.next("certificate") {
      // The other certificate formats have a context-specific tag.
      if element.tag == DERTag.sequence { certificates.append(list.encoding(element)) }
    }
    return certificates
  }

  /// Returns the PEM label of DER data that is often mistaken for a certificate; nil for other bytes.
  private static func label(ofDER bytes: [UInt8]) -> String? {
    if (try? PrivateKey(der: bytes)) != nil { return "PRIVATE KEY" }
    if (try? CertificateRevocationList(der: bytes)) != nil { return "X509 CRL" }
    var whole = DERCursor(bytes)
    guard let outer = try? whole.next("file", DERTag.sequence) else { return nil }
    var parts = whole.inside(outer)
    guard let first = try? parts.next("first") else { return nil }
    switch first.tag {
    case DERTag.objectIdentifier: return OID(content: bytes[first.content]) == signedData ? "PKCS7" : nil
    case DERTag.integer: return parts.content(first) == [3] ? "PKCS12" : nil  // the version of a PFX
    case DERTag.sequence: return isRequest(parts.inside(first)) ? "CERTIFICATE REQUEST" : nil
    default: return nil
    }
  }

  /// Returns whether a CertificationRequestInfo (RFC 2986 section 4.1) begins here: version 0, followed by the subject.
  private static func isRequest(_ info: DERCursor) -> Bool {
    var info = info
    guard (try? info.smallInteger("version")) == 0 else { return false }
    return (try? DistinguishedName.read(&info, "subject")) != nil
  }

  /// id-signedData (RFC 5652 section 5.1). A certificate bundle is a SignedData value without signers.
  private static let signedData = OID(1, 2, 840, 113549, 1, 7, 2)

  /// The certificate as PEM (RFC 7468 section 5).
  public var pem: String { PEM.encode("CERTIFICATE", der) }
}
