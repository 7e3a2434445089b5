import Explanation
import TLS

/// What both sides of one connection put on the network, and the secrets that open it: what is read out of a recording,
/// and what a capture file is written from.
public struct Flow: Sendable {
  /// Bytes that one side sent at once.
  public struct Portion: Sendable, Hashable {
    /// How what is sent ends what its sender has to say.
    public enum Ending: Sendable, Hashable {
      /// `close_notify`, or a response after which HTTP closes: what still comes is read.
      case orderly
      /// A fatal alert: RFC 5246 section 7.2.2.
      case abrupt
    }

    /// Who sent them.
    public let side: Side
    /// What was sent: records, or any part of them.
    public let bytes: [UInt8]
    /// When; nil where the recording does not say.
    public let at: Instant?
    /// Its place among the portions of all flows that were recorded together.
    public let number: Int
    /// Whether the sender says nothing more afterwards, and how; nil where the connection just stays open.
    public let ending: Ending?

    /// `side` sent `bytes`.
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

  /// Its name among several.
  public let id: String
  /// Who opened the connection, and who was asked; nil where the recording does not say.
  public let ends: Ends?
  /// What travelled, in order.
  public let portions: [Portion]
  /// What opens it.
  public var secrets: SessionSecrets
  /// Whose bytes the recording does not have to the end, and why: it stopped before the connection did, or lacks some.
  public var unfinished: [Side: String] = [:]
  /// Of whose bytes the recording lacks some, before others that it has, and why.
  public var incomplete: [Side: String] = [:]
  /// What was said on the connection before TLS began, which is left out; nil for nothing.
  public var prelude: String?
  /// The link type of its packets, where it is another than Ethernet.
  public var linkType: String?

  /// The same flow, which `side` was the first to end; one that has said nothing ends with the other's last word.
  public func ended(by side: Side, _ ending: Portion.Ending = .orderly) -> Flow {
    guard let last = portions.lastIndex(where: { $0.side == side }) ?? portions.indices.last else { return self }
    let portion = portions[last]
    var ended = portions
    ended[last] = Portion(portion.side, portion.bytes, at: portion.at, number: portion.number, ending: ending)
    var flow = Flow(id: id, ends: ends, portions: ended, secrets: secrets)
    flow.unfinished = unfinished
    flow.incomplete = incomplete
    flow.prelude = prelude
    flow.linkType = linkType
    return flow
  }

  /// The two ends of a connection.
  public struct Ends: Sendable, Hashable {
    /// Opened it.
    public let client: SocketAddress
    /// Was asked.
    public let server: SocketAddress

    /// A connection from `client` to `server`.
    public init(client: SocketAddress, server: SocketAddress) {
      self.client = client
      self.server = server
    }
  }

  /// A flow of these bytes.
  public init(
    id: String, ends: Ends? = nil, portions: [Portion], secrets: SessionSecrets = SessionSecrets()
  ) {
    self.id = id
    self.ends = ends
    self.portions = portions
    self.secrets = secrets
  }
}

/// One end of a TCP connection, an address and a port: a socket, as RFC 9293 section 3.1 calls it.
public struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
  /// Four bytes of IPv4, sixteen of IPv6.
  public let address: [UInt8]
  /// The port.
  public let port: UInt16

  /// `port` at `address`.
  public init(address: [UInt8], port: UInt16) {
    self.address = address
    self.port = port
  }

  /// `192.0.2.1:443`, `[2001:db8:0:0:0:0:0:1]:443`
  public var description: String {
    if address.count == 4 { return "\(address.map { String($0) }.joined(separator: ".")):\(port)" }
    let groups = stride(from: 0, to: address.count - 1, by: 2).map { index in
      String(UInt16(address[index]) << 8 | UInt16(address[index + 1]), radix: 16)
    }
    return "[\(groups.joined(separator: ":"))]:\(port)"
  }

  /// The card that has the address: a locally administered address (IEEE 802) that ends in the IPv4 address.
  var hardwareAddress: [UInt8] { [0x02, 0x00] + address }
}

/// Why a capture cannot be read or written.
public enum CaptureError: Error, Sendable, Hashable {
  /// A time before 1970 or after February 2106 does not fit into the file.
  case clock(Instant)
  /// The file ends within `what`, at this byte.
  case cut(within: String, at: Int)
  /// The packet of this number does not fit into its block.
  case misfit(packet: Int)
}
