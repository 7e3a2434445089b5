#if os(Linux)
  import Glibc

  /// A TCP socket on the loopback interface that never waits longer than ten seconds.
  final class Socket {
    private let descriptor: Int32
    private(set) var port: UInt16 = 0

    struct Trouble: Error { let call: String }

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { Glibc.close(descriptor) }

    private static func open() throws -> Int32 {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      guard descriptor >= 0 else { throw Trouble(call: "socket") }
      var limit = timeval(tv_sec: 10, tv_usec: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      return descriptor
    }

    private static func withLoopback(
      _ port: UInt16, _ body: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Int32
    ) -> (result: Int32, port: UInt16) {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let result = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &size) }
      }
      return (result, UInt16(bigEndian: address.sin_port))
    }

    /// Connects to a port of this machine.
    convenience init(connectingTo port: UInt16) throws {
      self.init(descriptor: try Socket.open())
      let descriptor = descriptor
      guard Socket.withLoopback(port, { connect(descriptor, $0, $1) }).result == 0 else {
        throw Trouble(call: "connect")
      }
    }

    /// Listens on a free port.
    static func listening() throws -> Socket {
      let socket = Socket(descriptor: try open())
      let descriptor = socket.descriptor
      guard withLoopback(0, { bind(descriptor, $0, $1) }).result == 0, listen(descriptor, 1) == 0 else {
        throw Trouble(call: "listen")
      }
      socket.port = withLoopback(0) { getsockname(descriptor, $0, &$1) }.port
      return socket
    }

    func accepted() throws -> Socket {
      let accepted = accept(descriptor, nil, nil)
      guard accepted >= 0 else { throw Trouble(call: "accept") }
      return Socket(descriptor: accepted)
    }

    /// The received bytes; none at the end, or after the time limit.
    func read() -> [UInt8] {
      var buffer = [UInt8](repeating: 0, count: 16_384)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      return Array(buffer.prefix(max(0, count)))
    }

    func write(_ bytes: [UInt8]) {
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes {
          Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }
  }
#endif
