#if os(Linux)
  import Cryptography
  import Foundation

  /// The `openssl` command, as a peer.
  struct OpenSSL {
    let process: Process
    let output: Pipe
    let input: Pipe

    static let isThere = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    /// A self-signed certificate and its key.
    struct Identity {
      let keyFile: String
      let certificateFile: String
      let key: PrivateKey
      let certificate: [UInt8]
    }

    struct Trouble: Error { let what: String }

    static let identities: [Bool: Result<Identity, any Error>] = [
      false: Result { try makeIdentity(isEC: false) }, true: Result { try makeIdentity(isEC: true) },
    ]

    static func identity(isEC: Bool) throws -> Identity {
      guard let identity = identities[isEC] else { throw Trouble(what: "no identity") }
      return try identity.get()
    }

    private static func makeIdentity(isEC: Bool) throws -> Identity {
      let directory = FileManager.default.temporaryDirectory.appendingPathComponent("tls-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      let keyFile = directory.appendingPathComponent("key.pem").path
      let certificateFile = directory.appendingPathComponent("certificate.pem").path
      let kind = isEC ? ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"] : ["-newkey", "rsa:2048"]
      let run = try start(
        ["req", "-x509", "-nodes", "-subj", "/CN=api.example", "-keyout", keyFile, "-out", certificateFile] + kind)
      run.process.waitUntilExit()
      let pem = try PEM.decode(String(contentsOfFile: certificateFile, encoding: .utf8))
      guard let certificate = pem.first?.bytes else { throw Trouble(what: "no certificate") }
      return Identity(
        keyFile: keyFile, certificateFile: certificateFile,
        key: try PrivateKey(pem: String(contentsOfFile: keyFile, encoding: .utf8)), certificate: certificate)
    }

    static func start(_ arguments: [String]) throws -> OpenSSL {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
      process.arguments = arguments
      let output = Pipe()
      let input = Pipe()
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      process.standardInput = input
      try process.run()
      return OpenSSL(process: process, output: output, input: input)
    }

    /// What the command says until it says `word`, or ends.
    func text(until word: String) -> String {
      var text = ""
      while !text.contains(word) {
        let data = output.fileHandleForReading.availableData
        if data.isEmpty { break }
        text += String(decoding: data, as: UTF8.self)
      }
      return text
    }

    /// Where `s_server` listens.
    func port() throws -> UInt16 {
      let text = text(until: "ACCEPT 127.0.0.1:")
      let rest = text.components(separatedBy: "ACCEPT 127.0.0.1:").dropFirst().first ?? ""
      guard let port = UInt16(rest.prefix(while: \.isNumber)) else { throw Trouble(what: "no port in \(text)") }
      return port
    }

    /// A suite's name in OpenSSL, where anything goes.
    static func cipher(_ suite: String) -> String {
      var name = suite.replacingOccurrences(of: "TLS_", with: "")
      name = name.replacingOccurrences(of: "_WITH", with: "").replacingOccurrences(of: "AES_", with: "AES")
      name = name.replacingOccurrences(of: "_CBC", with: "").replacingOccurrences(of: "_", with: "-")
      return (name.hasPrefix("RSA-") ? String(name.dropFirst(4)) : name) + ":@SECLEVEL=0"
    }
  }
#endif
