import Cryptography

extension Certificate {
  /// Why a file holds no certificates.
  public enum FileError: Error, Sendable, CustomStringConvertible {
    /// The text is not PEM.
    case pem(PEMError)
    /// The block that begins on `line` is no certificate; nil when the file is DER.
    case certificate(CertificateError, line: Int?)
    /// There is no certificate in it, but blocks with these labels; what is DER counts as the label it would have.
    case noCertificate(labels: [String])
    /// There is nothing in it.
    case empty

    /// What is wrong, with its place.
    public var description: String {
      switch self {
      case .pem(let error): "\(error)"
      case .certificate(let error, let line): (line.map { "line \($0): " } ?? "") + error.description
      case .noCertificate(let labels):
        "there is no certificate here, but \(FileError.words(labels))"
      case .empty: "the file is empty"
      }
    }

    /// What blocks with these labels are called: `a PRIVATE KEY, an X509 CRL`, `a PKCS #12 file`.
    public static func words(_ labels: [String]) -> String {
      labels.map { label in
        if label.hasPrefix("PKCS"), let number = Int(label.dropFirst(4)) { return "a PKCS #\(number) file" }
        let isSpelled = ["RSA ", "X509 ", "SSH2 "].contains { label.hasPrefix($0) }
        let hasVowel = label.first.map { "AEIO".contains($0) } ?? false
        return "\(isSpelled || hasVowel ? "an" : "a") \(label)"
      }.joined(separator: ", ")
    }
  }

  /// The certificates in a file, in order: PEM (RFC 7468), where blocks with other labels are passed over, or the DER
  /// of one certificate.
  public static func certificates(inPEMOrDER bytes: [UInt8]) throws(FileError) -> [Certificate] {
    guard !bytes.isEmpty else { throw .empty }
    guard bytes.first != DERTag.sequence else {
      do throws(CertificateError) { return [try Certificate(der: bytes)] } catch {
        if let label = label(ofDER: bytes) { throw .noCertificate(labels: [label]) }
        throw .certificate(isTwo(bytes) ? error.hinting(twoFiles) : error, line: nil)
      }
    }
    let blocks: [PEM.Block]
    do throws(PEMError) { blocks = try PEM.decode(String(decoding: bytes, as: UTF8.self)) } catch { throw .pem(error) }
    var certificates: [Certificate] = []
    for block in blocks where labels.contains(block.label) {
      do throws(CertificateError) {
        certificates.append(try Certificate(der: block.bytes))
      } catch {
        throw .certificate(error, line: block.line)
      }
    }
    guard !certificates.isEmpty else { throw .noCertificate(labels: blocks.map(\.label)) }
    return certificates
  }

  /// Whether one certificate in DER stands behind another.
  private static func isTwo(_ bytes: [UInt8]) -> Bool {
    var whole = DERCursor(bytes)
    guard (try? whole.next("first", DERTag.sequence)) != nil, let second = try? whole.next("second", DERTag.sequence)
    else { return false }
    return (try? Certificate(der: whole.encoding(second))) != nil
  }

  private static let twoFiles = "another certificate follows: a DER file holds one; split it, or write them as PEM"

  /// What people confuse with a certificate, by the label that it has as PEM; nil when it is none of that either.
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

  /// Whether a CertificationRequestInfo (RFC 2986 section 4.1) begins here: version 0 and at once the subject.
  private static func isRequest(_ info: DERCursor) -> Bool {
    var info = info
    guard (try? info.smallInteger("version")) == 0 else { return false }
    return (try? DistinguishedName.read(&info, "subject")) != nil
  }

  /// id-signedData, RFC 5652 section 5.1: a bundle of certificates is one without signers.
  private static let signedData = OID(1, 2, 840, 113549, 1, 7, 2)

  /// The certificate as PEM (RFC 7468 section 5).
  public var pem: String { PEM.encode("CERTIFICATE", der) }

  private static let labels: Set<String> = ["CERTIFICATE", "X509 CERTIFICATE"]
}
