import Endpoint
import Explanation
import Simulator
import TLS

/// Runs as a capture file that Wireshark and tshark open: every message in real Ethernet, IPv4 and TCP frames.
///
/// The file says nothing that the run does not: the same runs give the same bytes.
public struct PacketCapture: Sendable {
  /// The file: classic pcap with microseconds and LINKTYPE_ETHERNET.
  public let bytes: [UInt8]
  /// How many packets there are.
  public let packetCount: Int
  /// How many TCP connections they belong to.
  public let connectionCount: Int

  /// Everything that travelled in one run.
  ///
  /// - Throws: `CaptureError` when the scenario's clock does not fit into the file.
  public init(_ simulation: Simulation) throws(CaptureError) { try self.init([simulation]) }

  /// Everything that travelled in these runs, one after the other, each connection from a port of its own.
  ///
  /// - Throws: `CaptureError` when a scenario's clock does not fit into the file.
  public init(_ simulations: [Simulation]) throws(CaptureError) {
    var writing = CaptureWriting()
    for simulation in simulations {
      try writing.write(simulation)
    }
    bytes = writing.file.bytes
    packetCount = writing.file.packetCount
    connectionCount = writing.connectionCount
  }
}
