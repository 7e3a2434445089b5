import Explanation
import Simulator

/// One end of a TCP connection: an IPv4 address, the card that has it, and a port.
struct NetworkPlace: Hashable {
  /// Four bytes.
  let address: [UInt8]
  let port: UInt16

  /// A locally administered address (IEEE 802) that ends in the IPv4 address.
  var hardwareAddress: [UInt8] { [0x02, 0x00] + address }
}

/// Where everyone is: stable addresses of the blocks for documentation (RFC 5737).
///
/// Clients are in 192.0.2.0/24, servers in 198.51.100.0/24 and everyone else in 203.0.113.0/24; a server whose host is
/// an IPv4 address has that address.
struct AddressBook {
  private var clients: [Party] = []
  private var hosts: [String] = []
  private var others: [Party] = []
  private static let first = 10
  private static let room = 240

  /// The address of a client, of the server of `plan`, or of whoever stands between them.
  mutating func address(of party: Party, in plan: World.Plan) -> [UInt8] {
    if party == plan.client.tls.party { return [192, 0, 2, Self.number(of: party, in: &clients)] }
    guard party == plan.server.tls.party else { return [203, 0, 113, Self.number(of: party, in: &others)] }
    if let address = plan.url.address, !address.isVersion6 { return address.bytes }
    return [198, 51, 100, Self.number(of: plan.url.host, in: &hosts)]
  }

  private static func number<T: Equatable>(of item: T, in known: inout [T]) -> UInt8 {
    if !known.contains(item) { known.append(item) }
    let index = known.firstIndex(of: item) ?? 0
    return UInt8(truncatingIfNeeded: first + index % room)
  }
}
