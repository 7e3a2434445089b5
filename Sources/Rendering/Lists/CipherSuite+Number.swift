import Explanation
import TLS

extension CipherSuite {
  /// The code point as the registry writes it: `0xc02f`.
  var number: String { "0x" + Hex.string([UInt8(rawValue >> 8), UInt8(rawValue & 0xff)]) }
}
