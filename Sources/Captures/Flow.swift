import Explanation
import TLS

/// The data that both sides of a connection sent, and the secrets that decrypt it.
///
/// TrustLab reads recordings into flows, and writes flows to capture files.
public struct Flow: Sendable {
  /// A number of bytes that one side sent together.
  public struct Chunk: Sendable, Hashable {
    /// The way in which a side ends the data that it sends.
    public enum Ending: Sendable, Hashable {
      /// The side sent close_notify, or a response after which HTTP closes the connection. The side still reads.
      case orderly
      /// The side sent a fatal alert (RFC 5246 section 7.2.2).
      case abrupt
    }

    /// The side that sent the bytes.
    public let side: Side
    /// The bytes, which are records or parts of records.
    public let bytes: [UInt8]
    /// The time at which they were sent; nil if the recording has no times.
    public let at: Instant?
    /// The position of the portion among those of all flows in the recording.
    public let number: Int
    /// The way in which the sender ends its data with this portion; nil if more data follows.
    public let ending: Ending?

    /// Creates a portion of `bytes` that `side` sent.
    public init(
      _ side: Side, _ bytes: [UInt8], at: Instant? = nil, number: Int = 0, ending: Ending? = nil
    ) {
      self.side = side
      self.bytes = bytes
      self.at = at
      self.number = number
      self.ending = ending
    }
  }

  /// The name of the flow.
  public let id: String
  /// The addresses of the client and the server; nil if the recording does not have them.
  public let ends: Ends?
  /// The portions of data in order.
  public let portions: [Chunk]
  /// The secrets that decrypt the flow.
  public var secrets: SessionSecrets
  /// The sides whose last bytes are missing, with the reason: the recording stopped early or has a gap.
  public var unfinished: [Side: String] = [:]
  /// The sides whose data has a gap, with the reason.
  public var incomplete: [Side: String] = [:]
  /// A description of the bytes before TLS, which are omitted; nil if there are none.
  public var prelude: String?
  /// The link type of the packets; nil for Ethernet.
  public var linkType: String?

  /// Returns the flow with an end that `side` initiates.
  ///
  /// If `side` sent no data, the flow ends with the last portion of the other side.
  public func ended(by side: Side, _ ending: Chunk.Ending = .orderly) -> Flow {
    guard let last = portions.lastIndex(where: { $0.side == side }) ?? portions.indices.last else { return self }
    let portion = portions[last]
    var ended = portions
    ended[last] = Chunk(portion.side, portion.bytes, at: portion.at, number: portion.number, ending: ending)
    var flow = Flow(id: id, ends: ends, portions: ended, secrets: secrets)
    flow.unfinished = unfinished
    flow.incomplete = incomplete
    flow.prelude = prelude
    flow.linkType = linkType
    return flow
  }

  /// The two endpoints of a connection.
  public struct Ends: Sendable, Hashable {
    /// The address of the client, which opened the connection.
    public let client: SocketAddress
    /// The server.
    public let server: SocketAddress

    /// Creates the endpoints of a connection from `client` to `server`.
    public init(client: SocketAddress, server: SocketAddress) {
      self.client = client
      self.server = server
    }
  }

  /// Creates a flow from these portions.
  public init(
    id: String, ends: Ends? = nil, portions: [Chunk], secrets: SessionSecrets = SessionSecrets()
  ) {
    self.id = id
    self.ends = ends
    self.portions = portions
    self.secrets = secrets
  }
}

/// The endpoint of a TCP connection: an address and a port (called a socket in RFC 9293 section 3.1).
public struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
  /// The address: four bytes for IPv4, or sixteen for IPv6.
  public let address: [UInt8]
  /// The port.
  public let port: UInt16

  /// Creates an endpoint with `port` at `address`.
  public init(address: [UInt8], port: UInt16) {
    self.address = address
    self.port = port
  }

  /// The endpoint as text, such as `192.0.2.1:443` or `[2001:db8:0:0:0:0:0:1]:443`.
  public var description: String {
    if address.count == 4 { return "\(address.map { String($0) }.joined(separator: ".")):\(port)" }
    let groups = stride(from: 0, to: address.count - 1, by: 2).map { index in
      String(UInt16(address[index]) << 8 | UInt16(address[index + 1]), radix: 16)
    }
    return "[\(groups.joined(separator: ":"))]:\(port)"
  }

  /// The hardware address of the endpoint: a locally administered address (IEEE 802) that ends with the IPv4 address.
  var hardwareAddress: [UInt8] { [0x02, 0x00] + address }
}

/// The reason why a capture cannot be read or written.
public enum CaptureError: Error, Sendable, Hashable {
  /// The time is before 1970 or after February 2106, which the file format does not support.
  case clock(Instant)
  /// The file ends within the named structure, at this byte.
  case cut(within: String, at: Int)
  /// The packet with this number is inconsistent with the length of its block.
  case misfit(packet: Int)
}
