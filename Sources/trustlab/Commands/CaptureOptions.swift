import ArgumentParser
import Captures
import Foundation
import Scenarios
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
        throw Diagnostics("\(first.option) needs a file of its own", hint: "standard output has the run")
      }
      for second in files.dropFirst(index + 1) where second.file == first.file {
        throw Diagnostics(
          "\(first.option) and \(second.option) name the same file", hint: "give each a file of its own")
      }
    }
  }

  func write(_ simulation: Simulation) throws {
    if simulation.calculation != nil, let option = pcap.map({ _ in "--pcap" }) ?? keylog.map({ _ in "--keylog" }) {
      throw Diagnostics(
        "\(option): a calculation with toy numbers sends nothing and agrees on no secrets",
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
      try OutputFile.write(Array(log.text.utf8), to: keylog, isSecret: true)
      Console.complain("wrote \(keylog): the secrets of \(Self.count(log.lines.count, "handshake", "handshakes"))")
    }
  }

  private static func capture(of simulation: Simulation) throws -> PacketCapture {
    do throws(CaptureError) {
      return try PacketCapture(simulation)
    } catch {
      throw Diagnostics(error.message, hint: error.hint)
    }
  }

  private static func count(_ number: Int, _ one: String, _ many: String) -> String {
    "\(number) \(number == 1 ? one : many)"
  }
}

/// A folder that a command writes files to.
struct OutputFolder {
  private let path: String

  /// The folder at `path`, made with all above it when it is missing.
  ///
  /// - Throws: `Diagnostics` when there is something else, or it cannot be made.
  init(_ path: String) throws {
    self.path = path
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
      guard isFolder.boolValue else {
        throw Diagnostics("'\(path)' is a file, not a folder", hint: "name a folder, new or old")
      }
      return
    }
    do {
      guard !path.isEmpty else { throw CocoaError(.fileNoSuchFile) }
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw Diagnostics("cannot make the folder '\(path)'", hint: "may you write above it?")
    }
  }

  /// Writes a file beside its place and moves it there, so that nobody reads half of it, what it replaces stays whole
  /// until then, and a secret is never readable by others.
  ///
  /// - Throws: `Diagnostics` when it cannot be written.
  func write(_ bytes: [UInt8], to name: String, isSecret: Bool) throws {
    let place = "\(path)/\(name)"
    let unfinished = "\(place).\(ProcessInfo.processInfo.processIdentifier)"
    unlink(unfinished)
    let descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL, isSecret ? 0o600 : 0o644)
    guard descriptor >= 0 else {
      throw Diagnostics("cannot write '\(place)'", hint: "may you write to that folder?")
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      try handle.write(contentsOf: Data(bytes))
      try handle.close()
      guard rename(unfinished, place) == 0 else { throw CocoaError(.fileWriteUnknown) }
    } catch {
      unlink(unfinished)
      throw Diagnostics("cannot write '\(place)'", hint: "is there a folder of that name, or no room left?")
    }
  }
}
