#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A TCP connection to the runner, with blocking calls.
final class RunnerSocket {
  private let descriptor: Int32

  /// Connects to the runner's port on this machine.
  ///
  /// The address is fixed, because a name such as `localhost` may also resolve to the other family.
  init(port: Int, usesIPv6: Bool) throws(ShimFailure) {
    guard let port = UInt16(exactly: port) else { throw .failed("\(port) is not a port") }
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    descriptor = socket(usesIPv6 ? AF_INET6 : AF_INET, stream, 0)
    guard descriptor >= 0 else { throw .failed("socket: error \(errno)") }
    var isOn: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
    guard (usesIPv6 ? Self.connectIPv6(descriptor, port) : Self.connectIPv4(descriptor, port)) == 0 else {
      throw .failed("connect: error \(errno)")
    }
  }

  deinit { close(descriptor) }

  private static func connectIPv4(_ descriptor: Int32, _ port: UInt16) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  private static func connectIPv6(_ descriptor: Int32, _ port: UInt16) -> Int32 {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    guard inet_pton(AF_INET6, "::1", &address.sin6_addr) == 1 else { return -1 }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
      }
    }
  }

  /// Sends all bytes. If the runner has closed the connection, the next read reports the end.
  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Reads `count` bytes, or fewer at the end of the connection.
  func read(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var buffer = [UInt8](repeating: 0, count: count - bytes.count)
      let received = recv(descriptor, &buffer, buffer.count, 0)
      if received < 0, errno == EINTR { continue }
      guard received > 0 else { break }
      bytes += buffer.prefix(received)
    }
    return bytes
  }

  /// Ends the sending direction and reads until the runner ends the other one. Otherwise the system resets the
  /// connection, and the runner does not see the last alert.
  func drain() {
    shutdown(descriptor, Int32(SHUT_WR))
    while !read(1 << 14).isEmpty {}
  }
}
