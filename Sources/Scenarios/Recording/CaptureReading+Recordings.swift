import Simulator
import TLS

extension CaptureReading {
  /// The TLS sessions among the TCP connections, and what is odd about them.
  func recordings() -> (recordings: [Recording], remarks: [String]) {
    var reassembly = TCPReassembly()
    for packet in packets {
      if let segment = TCPPacket(packet.bytes, linkType: packet.linkType) { reassembly.take(segment, at: packet.time) }
    }
    var recordings: [Recording] = []
    var remarks: [String] = []
    for connection in reassembly.connections {
      guard let session = [connection, connection.turned].first(where: \.speaksTLS) else { continue }
      let name = "\(session.opener)-\(session.responder)"
      let count = recordings.count { $0.id == name || $0.id.hasPrefix("\(name)#") }
      let id = count == 0 ? name : "\(name)#\(count + 1)"
      recordings.append(Recording(id: id, portions: session.portions))
      for side in Side.allCases where session.streams[side]?.hasGap == true {
        remarks.append("\(id): the capture lacks bytes that the \(side) sent; what follows them is left out")
      }
    }
    return (recordings, remarks)
  }
}
