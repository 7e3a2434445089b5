import Cryptography

extension Certificate {
  /// Why a file holds no certificates.
  public enum FileError: Error, Sendable, CustomStringConvertible {
    /// The text is not PEM.
    case pem(PEMError)
    /// The block that begins on `line` is no certificate; nil when the file is DER.
    case certificate(CertificateError, line: Int?)
    /// There is no certificate in it, but blocks with these labels; a private key in DER counts as `PRIVATE KEY`.
    case noCertificate(labels: [String])
    /// There is nothing in it.
    case empty

    /// What is wrong, with its place.
    public var description: String {
      switch self {
      case .pem(let error): "\(error)"
      case .certificate(let error, let line): (line.map { "line \($0): " } ?? "") + error.description
      case .noCertificate(let labels):
        "there is no certificate here, but \(labels.map { "a \($0)" }.joined(separator: ", "))"
      case .empty: "the file is empty"
      }
    }
  }

  /// The certificates in a file, in order: PEM (RFC 7468), where blocks with other labels are passed over, or the DER
  /// of one certificate.
  public static func certificates(inPEMOrDER bytes: [UInt8]) throws(FileError) -> [Certificate] {
    guard !bytes.isEmpty else { throw .empty }
    guard bytes.first != DERTag.sequence else {
      do throws(CertificateError) { return [try Certificate(der: bytes)] } catch {
        if (try? PrivateKey(der: bytes)) != nil { throw .noCertificate(labels: ["PRIVATE KEY"]) }
        throw .certificate(error, line: nil)
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

  /// The certificate as PEM (RFC 7468 section 5).
  public var pem: String { PEM.encode("CERTIFICATE", der) }

  private static let labels: Set<String> = ["CERTIFICATE", "X509 CERTIFICATE"]
}
