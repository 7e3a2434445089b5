import Cryptography

extension CertificateRevocationList {
  /// The lists in a file, in order: PEM (RFC 7468 section 6), where blocks with other labels are passed over, or the DER
  /// of one list; a certificate's holds none.
  public static func lists(inPEMOrDER bytes: [UInt8]) throws(Certificate.FileError) -> [CertificateRevocationList] {
    guard !bytes.isEmpty else { throw .empty }
    guard bytes.first != DERTag.sequence else {
      do throws(CertificateError) { return [try CertificateRevocationList(der: bytes)] } catch {
        if (try? Certificate(der: bytes)) != nil { return [] }
        throw .certificate(error, line: nil)
      }
    }
    let blocks: [PEM.Block]
    do throws(PEMError) { blocks = try PEM.decode(String(decoding: bytes, as: UTF8.self)) } catch { throw .pem(error) }
    var lists: [CertificateRevocationList] = []
    for block in blocks where block.label == "X509 CRL" || block.label == "CRL" {
      do throws(CertificateError) { lists.append(try CertificateRevocationList(der: block.bytes)) } catch {
        throw .certificate(error, line: block.line)
      }
    }
    return lists
  }
}
