import Explanation
import Foundation

/// Cases that others wrote, read from `$TRUSTLAB_VECTORS` or `../shared/data` beside the package.
enum Vectors {
  static let directory: String = {
    if let path = ProcessInfo.processInfo.environment["TRUSTLAB_VECTORS"] { return path }
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    return root.deletingLastPathComponent().appendingPathComponent("shared/data").path
  }()

  static func isThere(_ file: String) -> Bool { FileManager.default.fileExists(atPath: "\(directory)/\(file)") }

  static func read<T: Decodable>(_ file: String, as type: T.Type) throws -> T {
    try JSONDecoder().decode(type, from: Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(file)")))
  }
}

/// Bytes written in hexadecimal.
struct HexBytes: Decodable {
  let bytes: [UInt8]

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let bytes = Hex.bytes(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not hexadecimal")
    }
    self.bytes = bytes
  }
}
