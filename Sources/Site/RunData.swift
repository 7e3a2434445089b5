import CZlib
import Foundation
import Rendering

/// A run's data as a page contains it: JSON, compressed as RFC 1950 defines it, in Base64.
enum RunData {
  /// The element that the player opens.
  static func element(_ value: JSONValue) -> HTML {
    var bytes: [UInt8] = []
    value.write(to: &bytes)
    return "<script type=\"text/plain\" id=\"run\">\(Data(compressed(bytes)).base64EncodedString())</script>"
  }

  private static func compressed(_ bytes: [UInt8]) -> [UInt8] {
    var size = compressBound(uLong(bytes.count))
    return [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, count in
      let status = compress2(buffer.baseAddress, &size, bytes, uLong(bytes.count), 9)
      count = status == Z_OK ? Int(size) : 0
    }
  }
}
