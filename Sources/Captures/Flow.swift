import Explanation
import TLS

/// The bytes of both sides of one connection, and the secrets that decrypt it.
///
/// Recordings are read into flows, and capture files are written from them.
public struct Flow: Sendable {
  /// Bytes that one side sent at once.
  public struct Chunk: Sendable, Hashable {
    /// The way in which a sender ends its data.
    public enum Ending: Sendable, Hashable {
      /// `close_notify`, or a response after which HTTP closes. The sender still reads.
      case orderly
      /// A fatal alert (RFC 5246 section 7.2.2).
      case abrupt
    }

    /// The sender.
    public let side: Side
    /// The bytes: records, or parts of records.
    public let bytes: [UInt8]
    /// The time; nil if the recording has none.
    public let at: Instant?
    /// The position among the portions of all flows in the recording.
    public let number: Int
    /// The way in which the sender ends its data with this portion; nil if it does not.
    public let ending: Ending?

    /// Creates a portion of `bytes` from `side`.
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
  /// The client's and the server's address; nil if the recording does not have them.
  public let ends: Ends?
  /// The portions in order.
  public let portions: [Chunk]
  /// The secrets that decrypt the flow.
  public var secrets: SessionSecrets
  /// The sides whose last bytes are missing, and the reason: the recording stopped early, or has a gap.
  public var unfinished: [Side: String] = [:]
  /// The sides whose bytes have a gap, and the reason.
  public var incomplete: [Side: String] = [:]
  /// A description of the bytes before TLS, which are left out; nil if there are none.
  public var prelude: String?
  /// The link type of the packets if it is not Ethernet.
  public var linkType: String?

  /// Returns the flow, ended first by `side`.
  ///
  /// A side without data ends it with the other side's last portion.
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

  /// The endpoints of a connection.
  public struct Ends: Sendable, Hashable {
    /// The client, which opened the connection.
    public let client: SocketAddress
    /// The server.
    public let server: SocketAddress

    /// Creates the endpoints of a connection from `client` to `server`.
    public init(client: SocketAddress, server: SocketAddress) {
      self.client = client
      self.server = server
    }
  }

  /// Creates a flow of these portions.
  public init(
    id: String, ends: Ends? = nil, portions: [Chunk], secrets: SessionSecrets = SessionSecrets()
  ) {
    self.id = id
    self.ends = ends
    self.portions = portions
    self.secrets = secrets
  }
}

/// An endpoint of a TCP connection: an address and a port (a socket in RFC 9293 section 3.1).
public struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
  /// Four bytes for IPv4, sixteen for IPv6.
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

  /// The hardware address of the endpoint: a locally administered one (IEEE 802) that ends in the IPv4 address.
  var hardwareAddress: [UInt8] { [0x02, 0x00] + address }
}

/// The reason that a capture cannot be read or written.
public enum CaptureError: Error, Sendable, Hashable {
  /// A time before 1970 or after February 2106, which the file cannot contain.
  case clock(Instant)
  /// The file ends within `what`, at this byte.
  case cut(within: String, at: Int)
  /// The packet with this number does not fit into its block.
  case misfit(packet: Int)
}
