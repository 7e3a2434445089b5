import Cryptography
import Explanation
import TLS

// The kinds of values in the settings of a server.
extension Kind {
  /// One chain of certificates, or several chains.
  static var chains: Kind<[[String]]> {
    let chain = Kind<[String]>.list(.text)
    return Kind<[[String]]>(.either([chain.shape, .list(chain.shape)])) { reader in
      let isSeveral = reader.node.items?.contains { $0.items != nil } ?? false
      return isSeveral ? reader.list(chain.read) : chain.read(reader).map { [$0] }
    }
  }

  /// Returns a kind for the historical bugs for which `isPossible` returns true.
  static func mutant(where isPossible: (Mutant) -> Bool) -> Kind<Mutant> {
    let possible = Mutant.all.filter(isPossible)
    let others = Mutant.all.filter { !possible.contains($0) }
    let choice = Kind<String>.choice(possible.map(\.name), called: "mutant")
    return Kind<Mutant>(choice.shape) { reader in
      if let text = reader.node.text, let other = others.first(where: { $0.name == text }) {
        reader.fail(
          "'\(text)' is a bug of a \(other.placeText), which this party cannot have",
          hint: "write it there, or choose another: trustlab list mutants")
        return nil
      }
      return choice.read(reader).flatMap { Mutant.named($0) }
    }
  }

  /// A version of SSL or TLS.
  static var version: Kind<ProtocolVersion> {
    Kind<String>.choice(["SSLv3", "TLSv1.0", "TLSv1.1", "TLSv1.2", "TLSv1.3"], called: "protocol version")
      .map { ProtocolVersion($0) }
  }

  /// A named group that TrustLab implements.
  static var group: Kind<NamedGroup> {
    Kind<NamedGroup>(.kind("group", .choice(NamedGroup.registry.map(\.name)))) { reader in
      guard let name = reader.choice(NamedGroup.registry.map(\.name), called: "group"),
        let group = NamedGroup(name: name)
      else { return nil }
      if group.isImplemented13 { return group }
      reader.fail(
        "the group '\(name)' is not implemented yet",
        hint: "implemented groups: \(NamedGroup.implemented13.map(\.description).joined(separator: ", "))")
      return nil
    }
  }

  /// The name of a finite-field group.
  static var dhGroup: Kind<String> {
    .choice(DHGroup.selectable.map(\.name), called: "DH group")
  }

  /// A signature algorithm for a key exchange.
  static var signatureScheme: Kind<SignatureScheme> {
    Kind<String>.choice(
      SignatureScheme.all.map(\.name), called: "signature algorithm"
    ).map { SignatureScheme(name: $0) }
  }

  /// The name of an ALPN protocol: 1 to 255 bytes (RFC 7301 section 3.1).
  static var applicationProtocol: Kind<ApplicationProtocol> {
    Kind<ApplicationProtocol>(.text) { reader in
      guard let text = reader.text() else { return nil }
      if (1...255).contains(text.utf8.count) { return ApplicationProtocol(text) }
      reader.fail("a protocol's name must have 1 to 255 bytes", hint: "write http/1.1 or h2")
      return nil
    }
  }

  /// A cipher suite by its name in the registry.
  static var cipherSuite: Kind<CipherSuite> {
    Kind<CipherSuite>(.kind("cipher suite", .choice(CipherSuite.registry.map(\.name))), written: \.name) { reader in
      guard let text = reader.text() else { return nil }
      if let suite = CipherSuite(name: text) { return suite }
      reader.fail("unknown cipher suite '\(text)'", hint: OpenSSLSuite.hint(for: text))
      return nil
    }
  }

  /// A cipher suite that a server can select, and not a signalling value (SCSV).
  static var selectableSuite: Kind<CipherSuite> {
    let suite = Kind<CipherSuite>.cipherSuite
    return Kind<CipherSuite>(suite.shape, written: suite.written) { reader in
      guard let read = suite.read(reader) else { return nil }
      guard read.isSignalling else { return read }
      let hint =
        read == .fallback
        ? "write client: { fallback: signalled }, or server: { fallbackSCSV: false }"
        : "leave it out: clients send it automatically"
      reader.fail("'\(read.name)' is an SCSV, which a server cannot select", hint: hint)
      return nil
    }
  }
}
