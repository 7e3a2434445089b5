import Cryptography
import Foundation
import PKIX

/// Data that is not part of the repository: `$TRUSTLAB_VECTORS`, or `../shared/data` beside the package.
enum SharedData {
  static let missing = "the shared data is not there; set TRUSTLAB_VECTORS"

  private static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["TRUSTLAB_VECTORS"] { return URL(fileURLWithPath: path) }
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return tests.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("shared/data")
  }()

  /// Every certificate and every revocation list that can be read in the files of `suites`, each once: PEM and base 64
  /// wherever they stand.
  static let encodings: [[UInt8]] = {
    let suites = folder.appendingPathComponent("suites")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: suites.path)) ?? []
    var seen: Set<[UInt8]> = []
    var encodings: [[UInt8]] = []
    for name in names.sorted() where name.hasSuffix(".json") {
      guard let data = try? Data(contentsOf: suites.appendingPathComponent(name)),
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

  static func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path)
  }

  static func decode<Content: Decodable>(_ name: String) throws -> Content {
    try JSONDecoder().decode(Content.self, from: Data(contentsOf: folder.appendingPathComponent(name)))
  }
}
