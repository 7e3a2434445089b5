import Foundation
import Oracles
import Testing

/// Another program's server on a free loopback port, for the lifetime of this object.
final class PeerServer {
  private let process = Process()
  /// The port on which it listens.
  private(set) var port = 0

  /// `openssl s_server` with these options, in `folder`.
  convenience init(openssl options: [String], in folder: URL) throws {
    try self.init(["openssl", "s_server", "-accept", "127.0.0.1:0", "-www"] + options, in: folder)
  }

  /// A Python program, which prints its port as `ACCEPT 127.0.0.1:PORT`.
  convenience init(python program: String) throws {
    let interpreter = try #require(Python.interpreter())
    let folder = try Program.folder(["server.py": Data(program.utf8)])
    try self.init([interpreter, "-u", "server.py"], in: folder)
  }

  /// The Python program of this name in the folder `Peers`, which prints its port in the same way.
  convenience init(_ name: String, _ arguments: String...) throws {
    let program = Program.root.appendingPathComponent("Tests/InteropTests/Peers/\(name).py").path
    try self.init([try #require(Python.interpreter()), "-u", program] + arguments, in: Program.root)
  }

  /// Python's ssl with TLS 1.2, which responds to every request with these lines; `settings` are additional lines about
  /// the `context`.
  convenience init(presenting chain: [URL], key: URL, settings: [String] = [], answering lines: [String]) throws {
    let certificates = try chain.map { try String(contentsOf: $0, encoding: .utf8) }.joined()
    let file = try Program.folder(["chain.pem": Data(certificates.utf8)]).appendingPathComponent("chain.pem")
    let answer = (lines + ["", ""]).joined(separator: "\\r\\n")
    try self.init(
      python: """
        import socket, ssl
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain('\(file.path)', '\(key.path)')
        \(settings.joined(separator: "\n"))
        listener = socket.create_server(('127.0.0.1', 0))
        print('ACCEPT 127.0.0.1:%d' % listener.getsockname()[1])
        while True:
            peer, _ = listener.accept()
            try:
                with context.wrap_socket(peer, server_side=True) as tls:
                    if tls.recv(4096):
                        tls.sendall(b'\(answer)')
                        tls.unwrap()
            except OSError: pass
        """)
  }

  /// A server that responds to every hello with a ServerHello of this version and suite, in hex. It then sends these
  /// certificates, Python expressions for their DER, and exits.
  convenience init(choosing version: String, _ suite: String, presenting certificates: [String]) throws {
    try self.init(
      python: """
        import socket, ssl
        def message(kind, body):
            whole = bytes([kind]) + len(body).to_bytes(3, 'big') + body
            return b'\\x16\\x03\\x03' + len(whole).to_bytes(2, 'big') + whole
        chain = b''.join(len(one).to_bytes(3, 'big') + one for one in [\(certificates.joined(separator: ", "))])
        hello = bytes.fromhex('\(version)' + '00' * 33 + '\(suite)' + '00')
        answer = message(2, hello) + message(11, len(chain).to_bytes(3, 'big') + chain)
        listener = socket.create_server(('127.0.0.1', 0))
        print('ACCEPT 127.0.0.1:%d' % listener.getsockname()[1])
        while True:
            peer, _ = listener.accept()
            try:
                if peer.recv(4096): peer.sendall(answer)
                peer.close()
            except OSError: pass
        """)
  }

  private init(_ words: [String], in folder: URL) throws {
    let output = try Program.folder(["out": Data()]).appendingPathComponent("out")
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = process.standardOutput
    try process.run()
    var said = ""
    for _ in 0..<400 where port == 0 {
      usleep(25_000)
      let isRunning = process.isRunning
      said = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
      let line = said.split(separator: "\n").first { $0.hasPrefix("ACCEPT ") }
      port = line?.split(separator: ":").last.flatMap { Int($0) } ?? 0
      if !isRunning { break }
    }
    try #require(port > 0, "no server listens: \(said)")
  }

  deinit { process.endAtOnce() }
}

/// A self-signed certificate, made with openssl: for `wrong.example`, valid for ten days.
enum SelfSigned {
  /// The folder of `cert.pem` and `key.pem`; nil if openssl cannot make them.
  static let folder: URL? = {
    guard let folder = try? Program.folder([:]) else { return nil }
    let made = OtherPrograms.openssl(
      ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "10"]
        + ["-subj", "/CN=wrong.example", "-addext", "subjectAltName=DNS:wrong.example"]
        + ["-addext", "extendedKeyUsage=serverAuth"], in: folder)
    return made ? folder : nil
  }()
}
