import Cryptography
import Foundation
import Oracles
import PKIX

extension SharedData {
  /// Every readable certificate and CRL in the files of `suites`, once each, from PEM and base 64 at any place.
  static let encodings: [[UInt8]] = {
    var seen: Set<[UInt8]> = []
    var encodings: [[UInt8]] = []
    for name in names(in: "suites") where name.hasSuffix(".json") {
      guard let data = try? Data(bytes("suites/\(name)")),
        let json = try? JSONSerialization.jsonObject(with: data)
      else { continue }
      for bytes in SharedData.found(in: json) where seen.insert(bytes).inserted && isReadable(bytes) {
        encodings.append(bytes)
      }
    }
    return encodings
  }()

  private static func isReadable(_ bytes: [UInt8]) -> Bool {
    (try? Certificate(der: bytes)) != nil || (try? CertificateRevocationList(der: bytes)) != nil
  }

  private static func found(in json: Any) -> [[UInt8]] {
    switch json {
    case let object as [String: Any]:
      return object.keys.sorted().flatMap { found(in: object[$0] ?? 0) }
    case let array as [Any]: return array.flatMap { found(in: $0) }
    case let text as String where text.contains("-----BEGIN "):
      return ((try? PEM.decode(text)) ?? []).filter { $0.label.hasSuffix("CERTIFICATE") || $0.label.hasSuffix("CRL") }
        .map(\.bytes)
    case let text as String where text.hasPrefix("MI"):
      return Data(base64Encoded: text).map { [Array($0)] } ?? []
    default: return []
    }
  }
}
