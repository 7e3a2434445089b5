import ArgumentParser
import Rendering
import Simulator

/// Files with what travelled in a run, and with the secrets that open it.
struct CaptureOptions: ParsableArguments {
  @Option(help: "Also write every packet to this file, for Wireshark and tshark.")
  var pcap: String?

  @Option(help: "Also write the TLS secrets to this file, in the form of the NSS key log.")
  var keylog: String?

  /// Checks that every file is one of its own.
  func check(output: String?) throws {
    let named = [("--pcap", pcap), ("--keylog", keylog), ("--output", output == "-" ? nil : output)]
    let files = named.compactMap { option, file in file.map { (option: option, file: $0) } }
    for (index, first) in files.enumerated() {
      if first.file == "-" {
        throw Complaint(message: "\(first.option) needs a file of its own", hint: "standard output has the run")
      }
      for second in files.dropFirst(index + 1) where second.file == first.file {
        throw Complaint(
          message: "\(first.option) and \(second.option) name the same file", hint: "give each a file of its own")
      }
    }
  }

  func write(_ simulation: Simulation) throws {
    if simulation.calculation != nil, let option = pcap.map({ _ in "--pcap" }) ?? keylog.map({ _ in "--keylog" }) {
      throw Complaint(
        message: "\(option): a calculation with toy numbers sends nothing and agrees on no secrets",
        hint: "leave it out; --depth numbers shows the arithmetic, --format json all of it")
    }
    if let pcap {
      let capture = try Self.capture(of: simulation)
      try OutputFile.write(capture.bytes, to: pcap)
      let packets = Self.count(capture.packetCount, "packet", "packets")
      let connections = Self.count(capture.connectionCount, "connection", "connections")
      Console.complain("wrote \(pcap): \(packets) of \(connections)")
    }
    if let keylog {
      let log = KeyLog(simulation)
      try OutputFile.write(Array(log.text.utf8), to: keylog)
      Console.complain("wrote \(keylog): the secrets of \(Self.count(log.lines.count, "connection", "connections"))")
    }
  }

  private static func capture(of simulation: Simulation) throws -> PacketCapture {
    do throws(CaptureError) {
      return try PacketCapture(simulation)
    } catch {
      switch error {
      case .clock(let clock):
        throw Complaint(
          message: "the clock of this run, \(clock), does not fit into a capture file",
          hint: "its packets bear times from 1970 to 2106: change the scenario's 'clock'")
      }
    }
  }

  private static func count(_ number: Int, _ one: String, _ many: String) -> String {
    "\(number) \(number == 1 ? one : many)"
  }
}
