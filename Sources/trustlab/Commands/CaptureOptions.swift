import ArgumentParser
import Captures
import Foundation
import Scenarios
import Simulator

/// The options for files with a run's packets and secrets.
struct CaptureOptions: ParsableArguments {
  @Option(help: "The capture file to write all packets to, for Wireshark and tshark.")
  var pcap: String?

  @Option(help: "The file to write the TLS secrets to, in NSS key log format.")
  var keylog: String?

  /// Checks that each option names a different file.
  func check(output: String?) throws {
    let named = [("--pcap", pcap), ("--keylog", keylog), ("--output", output == "-" ? nil : output)]
    let files = named.compactMap { option, file in file.map { (option: option, file: $0) } }
    for (index, first) in files.enumerated() {
      if first.file == "-" {
        throw Diagnostics("\(first.option) cannot write to standard output", hint: "name a file")
      }
      for second in files.dropFirst(index + 1) where second.file == first.file {
        throw Diagnostics(
          "\(first.option) and \(second.option) refer to the same file", hint: "use a different file for each")
      }
    }
  }

  func write(_ simulation: Simulation) throws {
    if simulation.calculation != nil, let option = pcap.map({ _ in "--pcap" }) ?? keylog.map({ _ in "--keylog" }) {
      throw Diagnostics(
        "\(option) does not apply to a calculation, which sends no packets and has no secrets",
        hint: "use --depth numbers or --format json to show the arithmetic")
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
      Console.complain("wrote \(keylog): the secrets of \(Self.count(log.handshakeCount, "handshake", "handshakes"))")
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

/// A folder in which a command writes its files.
struct OutputFolder {
  private let path: String

  /// Opens the folder at `path`, and creates it and its parents if necessary.
  ///
  /// - Throws: `Diagnostics` if the path is not a folder, or if the folder cannot be created.
  init(_ path: String) throws {
    self.path = path
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
      guard isFolder.boolValue else {
        throw Diagnostics("'\(path)' is a file, not a folder", hint: "name a folder")
      }
      return
    }
    do {
      guard !path.isEmpty else { throw CocoaError(.fileNoSuchFile) }
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw Diagnostics(
        "cannot create the folder '\(path)'", hint: "check that you have permission to write to its parent folder")
    }
  }

  /// Creates the folders of a file name below this folder, if they are missing.
  func createFolder(of name: String) throws {
    guard let end = name.lastIndex(of: "/") else { return }
    _ = try OutputFolder("\(path)/\(name[..<end])")
  }

  /// Writes a temporary file, then renames it.
  ///
  /// Other programs never see an incomplete file. The old file exists until the new one replaces it. Other users can
  /// never read a secret.
  ///
  /// - Throws: `Diagnostics` if the file cannot be written.
  func write(_ bytes: [UInt8], to name: String, isSecret: Bool) throws {
    let place = "\(path)/\(name)"
    let unfinished = "\(place).\(ProcessInfo.processInfo.processIdentifier)"
    unlink(unfinished)
    let descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL, isSecret ? 0o600 : 0o644)
    guard descriptor >= 0 else {
      throw Diagnostics("cannot write '\(place)'", hint: "check that you have permission to write to that folder")
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      try handle.write(contentsOf: Data(bytes))
      try handle.close()
      guard rename(unfinished, place) == 0 else { throw CocoaError(.fileWriteUnknown) }
    } catch {
      unlink(unfinished)
      throw Diagnostics(
        "cannot write '\(place)'", hint: "check whether a folder has that name, or whether the disk is full")
    }
  }
}
