#if os(Linux)
  import Cryptography
  import Foundation
  import Synchronization

  /// The `openssl` command as a peer.
  struct OpenSSL {
    let process: Process
    let output: Pipe
    let input: Pipe

    /// A self-signed certificate and its key.
    struct Identity {
      let keyFile: String
      let certificateFile: String
      /// The private key, or nil if its type is not supported here.
      let key: PrivateKey?
      let certificate: [UInt8]
      let subjectPublicKeyInfo: [UInt8]
    }

    struct Trouble: Error { let what: String }

    /// The kind of key that a server has.
    enum Kind: Hashable, CaseIterable {
      case rsa, pss, p256, p384, p521, ed25519

      var arguments: [String] {
        switch self {
        case .rsa: ["rsa:2048"]
        case .pss: ["rsa-pss", "-pkeyopt", "rsa_keygen_bits:2048", "-sigopt", "rsa_pss_saltlen:digest"]
        case .p256: ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        case .p384: ["ec", "-pkeyopt", "ec_paramgen_curve:P-384"]
        case .p521: ["ec", "-pkeyopt", "ec_paramgen_curve:P-521"]
        case .ed25519: ["ed25519"]
        }
      }
    }

    private static let identities = Mutex<[Kind: Identity]>([:])

    static func identity(_ kind: Kind) throws -> Identity {
      try identities.withLock { identities in
        if let identity = identities[kind] { return identity }
        let identity = try makeIdentity(kind)
        identities[kind] = identity
        return identity
      }
    }

    static func identity(isEC: Bool) throws -> Identity { try identity(isEC ? .p256 : .rsa) }

    private static func makeIdentity(_ kind: Kind) throws -> Identity {
      let directory = FileManager.default.temporaryDirectory.appendingPathComponent("tls-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      let keyFile = directory.appendingPathComponent("key.pem").path
      let certificateFile = directory.appendingPathComponent("certificate.pem").path
      let run = try start(
        ["req", "-x509", "-nodes", "-subj", "/CN=api.example", "-keyout", keyFile, "-out", certificateFile, "-newkey"]
          + kind.arguments)
      run.process.waitUntilExit()
      let pem = try PEM.decode(String(contentsOfFile: certificateFile, encoding: .utf8))
      let publicKey = try start(["x509", "-in", certificateFile, "-noout", "-pubkey"]).text(
        until: "END PUBLIC KEY-----")
      guard let certificate = pem.first?.bytes, let key = try PEM.decode(publicKey).first?.bytes else {
        throw Trouble(what: "no certificate")
      }
      return Identity(
        keyFile: keyFile, certificateFile: certificateFile,
        key: try? PrivateKey(pem: String(contentsOfFile: keyFile, encoding: .utf8)), certificate: certificate,
        subjectPublicKeyInfo: key)
    }

    static func start(_ arguments: [String], tool: String = "/usr/bin/openssl") throws -> OpenSSL {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: tool)
      process.arguments = arguments
      let output = Pipe()
      let input = Pipe()
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      process.standardInput = input
      try process.run()
      return OpenSSL(process: process, output: output, input: input)
    }

    /// The output of the command until it prints `word`, or ends.
    func text(until word: String) -> String {
      var text = ""
      while !text.contains(word) {
        let data = output.fileHandleForReading.availableData
        if data.isEmpty { break }
        text += String(decoding: data, as: UTF8.self)
      }
      return text
    }

    /// The port on which `s_server` listens.
    func port() throws -> UInt16 {
      let text = text(until: "ACCEPT 127.0.0.1:")
      let rest = text.components(separatedBy: "ACCEPT 127.0.0.1:").dropFirst().first ?? ""
      guard let port = UInt16(rest.prefix(while: \.isNumber)) else { throw Trouble(what: "no port in \(text)") }
      return port
    }

    /// OpenSSL's name of a suite, with security level 0.
    static func cipher(_ suite: String) -> String {
      var name = suite.replacingOccurrences(of: "TLS_", with: "")
      name = name.replacingOccurrences(of: "_WITH", with: "").replacingOccurrences(of: "AES_", with: "AES")
      name = name.replacingOccurrences(of: "_CBC", with: "").replacingOccurrences(of: "_", with: "-")
      name = name.replacingOccurrences(of: "POLY1305-SHA256", with: "POLY1305")
      name = name.replacingOccurrences(of: "DH-anon", with: "ADH")
      return (name.hasPrefix("RSA-") ? String(name.dropFirst(4)) : name) + ":@SECLEVEL=0"
    }
  }
#endif
