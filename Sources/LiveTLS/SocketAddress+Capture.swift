import Captures
import NIOCore

extension NIOCore.SocketAddress {
  /// The address and the port as captures have them; nil for a socket of another kind.
  var captured: Captures.SocketAddress? {
    guard let port, let number = UInt16(exactly: port) else { return nil }
    switch self {
    case .v4(let address):
      var raw = address.address.sin_addr.s_addr
      return withUnsafeBytes(of: &raw) { .init(address: Array($0), port: number) }
    case .v6(let address):
      var raw = address.address.sin6_addr
      return withUnsafeBytes(of: &raw) { .init(address: Array($0), port: number) }
    case .unixDomainSocket: return nil
    }
  }
}
