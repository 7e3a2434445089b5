import Explanation
import TLS

extension CaptureReader {
  /// A reason why a capture has no readable session.
  public enum Obstacle: Sendable, Hashable {
    /// The capture has no packets.
    case noPackets
    /// These packets have a link type that TrustLab cannot read.
    case linkType(String, count: Int)
    /// These frames are encrypted with WEP or WPA.
    case encryptedWireless(count: Int)
    /// TrustLab cannot read these pcapng blocks, which may contain packets.
    case blocks([UInt32])
    /// None of these packets, whose link type is given, contains IP.
    case noIP(String, count: Int)
    /// The capture has IP packets, but no TCP packets. The text lists the other protocols with their counts.
    case noTCP(String)
    /// These packets were truncated to this length and contain no TCP data.
    case cutPackets(count: Int, length: Int)
    /// This connection uses a protocol other than TLS.
    case connection(String, speaks: String)
    /// This TLS connection began before the start of the capture.
    case beganBefore(String)
    /// The capture has no data from this connection.
    case silent(String, found: String)
  }

  /// The reasons why the capture has no sessions, most likely first.
  public var obstacles: [Obstacle] {
    let connections = self.connections
    var obstacles = linkObstacles
    if connections.isEmpty { obstacles += networkObstacles(hasOthers: !obstacles.isEmpty) }
    if cutPackets.count > 0, connections.allSatisfy(\.portions.isEmpty) {
      return obstacles + [.cutPackets(count: cutPackets.count, length: cutPackets.length)]
    }
    let found = connections.compactMap(Self.obstacle)
    let (silent, speaking) = (found.filter(\.isSilent), found.filter { !$0.isSilent })
    return obstacles + speaking + silent
  }

  /// The reasons that concern link types and blocks.
  private var linkObstacles: [Obstacle] {
    var counts: [UInt32: Int] = [:]
    var encrypted = 0
    for packet in packets {
      if !LinkLayer.isRead(packet.linkType) { counts[packet.linkType, default: 0] += 1 }
      if LinkLayer.isEncryptedWireless(packet.bytes, packet.linkType) { encrypted += 1 }
    }
    var obstacles: [Obstacle] = counts.sorted { $0.key < $1.key }.map {
      .linkType(LinkLayer.name($0.key), count: $0.value)
    }
    if encrypted > 0 { obstacles.append(.encryptedWireless(count: encrypted)) }
    if packets.isEmpty { obstacles.append(unknownBlocks.isEmpty ? .noPackets : .blocks(unknownBlocks.sorted())) }
    return obstacles
  }

  /// The reasons that concern protocols other than TCP.
  private func networkObstacles(hasOthers: Bool) -> [Obstacle] {
    if let protocols = otherProtocols { return [.noTCP(protocols)] }
    guard !hasOthers, let first = packets.first else { return [] }
    return [.noIP(LinkLayer.name(first.linkType), count: packets.count)]
  }

  private static func obstacle(_ connection: TCPReassembly.Connection) -> Obstacle? {
    let name = "\(connection.ends.client)-\(connection.ends.server)"
    let sides = Prelude(client: connection.beginning(of: .client), server: connection.beginning(of: .server))
    if let spoken = sides.protocolName { return .connection(name, speaks: spoken) }
    guard connection.tls == nil else { return nil }
    if connection.beganBefore {
      guard connection.hasOpening, connection.incomplete.isEmpty, connection.absent.isEmpty else {
        return .beganBefore(name)
      }
      return .connection(name, speaks: "TLS records without a ClientHello before them")
    }
    if let spoken = sides.unknown { return .connection(name, speaks: spoken) }
    return .silent(name, found: connection.silence)
  }

  /// The protocols of the IP packets, with the number of packets of each; nil if there are no IP packets.
  private var otherProtocols: String? {
    var counts: [UInt8: Int] = [:]
    for packet in packets {
      var cursor = ByteCursor(packet.bytes)
      guard LinkLayer.skip(&cursor, packet.linkType), let first = cursor.rest.first,
        let number = cursor.rest.dropFirst(first >> 4 == 6 ? 6 : 9).first
      else { continue }
      counts[number, default: 0] += 1
    }
    let names: [UInt8: String] = [
      1: "ICMP", 4: "IP in IP", 6: "TCP (damaged)", 17: "UDP", 41: "IPv6 in IP", 44: "IPv6 fragments", 47: "GRE",
      50: "ESP (IPsec)", 58: "ICMPv6", 132: "SCTP",
    ]
    let words = counts.sorted { $0.value > $1.value }.prefix(5).map { number, count in
      "\(count) of \(names[number] ?? "the protocol \(number)")"
    }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }
}

extension CaptureReader.Obstacle {
  fileprivate var isSilent: Bool { if case .silent = self { true } else { false } }
}

extension TCPReassembly.Connection {
  /// A description of a connection of which the capture contains no data.
  fileprivate var silence: String {
    if let side = Side.allCases.first(where: { absent.contains($0) }) {
      return "no packet from the \(side), and no data"
    }
    return isReset ? "no data, and a reset (RST)" : "no data from either side"
  }
}
