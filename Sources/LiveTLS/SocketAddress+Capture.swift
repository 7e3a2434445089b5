import Captures
import NIOCore

extension NIOCore.SocketAddress {
  /// The address and port in the form that captures use; nil for any other type of socket.
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

  /// The address and port as text, with brackets for IPv6 (RFC 5952 section 6).
  var text: String {
    let address = ipAddress ?? "?"
    if case .v6 = self { return "[\(address)]:\(port ?? 0)" }
    return "\(address):\(port ?? 0)"
  }

  /// The address without the port. An IPv4 address that an IPv6 socket maps (RFC 4291 section 2.5.5.2) is printed as
  /// IPv4.
  var host: String? {
    let (address, mapped) = (ipAddress, "::ffff:")
    guard let address, address.hasPrefix(mapped), address.utf8.contains(UInt8(ascii: ".")) else { return address }
    return String(address.dropFirst(mapped.count))
  }
}
