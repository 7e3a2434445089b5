import Explanation
import Foundation
import Oracles

/// Test vectors from other projects.
enum Vectors {
  static func read<T: Decodable>(_ file: String, as type: T.Type) throws -> T {
    try JSONDecoder().decode(type, from: Data(SharedData.bytes(file)))
  }
}

/// Bytes written in hexadecimal.
struct HexBytes: Decodable {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let bytes = Hex.bytes(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not hexadecimal")
    }
    self.bytes = bytes
  }
}
