import Foundation

/// Chains made by openssl, each certificate with one fault; all dates are fixed.
enum FaultyChains {
  /// A folder with `root.pem`, the CAs `issuing`, `sub`, `constrained` and `notca`, and a server's certificate for each
  /// fault. It is nil if openssl cannot make them.
  static let folder: URL? = {
    guard
      let folder = try? Program.folder([
        "ca.cnf": Data(configuration.utf8), "index.txt": Data(), "serial": Data("1000\n".utf8),
        "crlnumber": Data("01\n".utf8),
      ])
    else { return nil }
    let made = FaultyChains.keys.allSatisfy { key($0, in: folder) } && certificates.allSatisfy { issue($0, in: folder) }
    return made && revoke(in: folder) ? folder : nil
  }()

  /// The date of the chains' evaluation.
  static let date = "2026-06-01"

  private struct Issue {
    let name: String
    var issuer: String? = "issuing"
    var section = "leaf"
    var key = "leaf"
    var commonName = "api.example"
    var start = "20260101000000Z"
    var end = "20270101000000Z"
    var hash = "sha256"

    init(_ name: String, _ change: (inout Issue) -> Void = { _ in }) {
      self.name = name
      change(&self)
    }

    /// A CA with its own key.
    static func authority(_ name: String, by issuer: String?, _ section: String = "issuing") -> Issue {
      Issue(name) {
        ($0.issuer, $0.section, $0.key, $0.commonName) = (issuer, section, name, name)
        $0.end = issuer == nil ? "20360101000000Z" : "20300101000000Z"
      }
    }
  }

  private static let keys = ["root", "other", "issuing", "constrained", "sub", "notca", "leaf", "weak"]

  private static let certificates: [Issue] = [
    .authority("root", by: nil, "root"), .authority("other", by: nil, "root"), .authority("issuing", by: "root"),
    .authority("constrained", by: "root", "constrained"), .authority("notca", by: "root", "notca"),
    .authority("sub", by: "issuing"), Issue("good"), Issue("revoked"),
    Issue("expired") { ($0.start, $0.end) = ("20250301000000Z", "20260301000000Z") },
    Issue("early") { ($0.start, $0.end) = ("20260901000000Z", "20270501000000Z") },
    Issue("mail") { $0.section = "mail" }, Issue("unnamed") { $0.section = "unnamed" },
    Issue("weak") { $0.key = "weak" },
    Issue("sha1") { $0.hash = "sha1" }, Issue("deep") { $0.issuer = "sub" },
    Issue("outside") { $0.issuer = "constrained" },
    Issue("inside") { ($0.issuer, $0.section) = ("constrained", "org") },
    Issue("client") { $0.section = "client" }, Issue("client-revoked") { $0.section = "client" },
    Issue("client-expired") {
      ($0.section, $0.start, $0.end) = ("client", "20250301000000Z", "20260301000000Z")
    },
    Issue("client-stray") { ($0.section, $0.issuer) = ("client", "other") },
    Issue("below") { $0.issuer = "notca" }, Issue("stray") { $0.issuer = "other" },
    Issue("three") {
      ($0.section, $0.hash) = ("mail", "sha1")
      ($0.start, $0.end) = ("20250301000000Z", "20260301000000Z")
    },
  ]

  private static func key(_ name: String, in folder: URL) -> Bool {
    let kind =
      name == "weak"
      ? ["RSA", "-pkeyopt", "rsa_keygen_bits:1024"] : ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
    return OtherPrograms.openssl(["genpkey", "-algorithm"] + kind + ["-out", "\(name).key"], in: folder)
  }

  private static func issue(_ item: Issue, in folder: URL) -> Bool {
    let request = ["req", "-new", "-config", "ca.cnf", "-key", "\(item.key).key", "-subj", "/CN=\(item.commonName)"]
    let signer = item.issuer.map { ["-cert", "\($0).pem", "-keyfile", "\($0).key"] } ?? ["-selfsign"]
    let dates = ["-startdate", item.start, "-enddate", item.end]
    let own = item.issuer == nil ? ["-keyfile", "\(item.key).key"] : []
    return OtherPrograms.openssl(request + ["-out", "request.csr"], in: folder)
      && OtherPrograms.openssl(
        ["ca", "-batch", "-notext", "-config", "ca.cnf", "-extensions", item.section, "-md", item.hash] + dates + signer
          + own + ["-in", "request.csr", "-out", "\(item.name).pem"], in: folder)
  }

  /// A CRL of `issuing` with the certificates `revoked` and `client-revoked`, since May.
  private static func revoke(in folder: URL) -> Bool {
    let lines = ["revoked", "client-revoked"].compactMap { name -> String? in
      let serial = OtherPrograms.output(["openssl", "x509", "-noout", "-serial", "-in", "\(folder.path)/\(name).pem"])
      return serial?.split(whereSeparator: { "=\n".contains($0) }).last.map {
        "R\t270101000000Z\t260501000000Z,keyCompromise\t\($0)\tunknown\t/CN=api.example\n"
      }
    }
    let index = folder.appendingPathComponent("index.txt")
    guard lines.count == 2, (try? Data(lines.joined().utf8).write(to: index)) != nil else { return false }
    return OtherPrograms.openssl(
      ["ca", "-config", "ca.cnf", "-gencrl", "-cert", "issuing.pem", "-keyfile", "issuing.key"]
        + ["-crl_lastupdate", "20260515000000Z", "-crl_nextupdate", "20260701000000Z", "-out", "issuing.crl"],
      in: folder)
  }

  private static func authority(_ name: String, _ more: String = "pathlen:0") -> String {
    """
    [\(name)]
    basicConstraints = critical,CA:TRUE,\(more)
    keyUsage = critical,keyCertSign,cRLSign
    subjectKeyIdentifier = hash
    authorityKeyIdentifier = keyid

    """
  }

  private static func server(_ name: String, _ purpose: String = "serverAuth", _ more: String) -> String {
    """
    [\(name)]
    keyUsage = critical,digitalSignature
    extendedKeyUsage = \(purpose)
    subjectKeyIdentifier = hash
    authorityKeyIdentifier = keyid
    \(more)

    """
  }

  private static let configuration =
    """
    [ca]
    default_ca = here
    [here]
    dir = .
    database = index.txt
    new_certs_dir = .
    serial = serial
    crlnumber = crlnumber
    default_md = sha256
    policy = any
    unique_subject = no
    crl_extensions = list
    [any]
    commonName = optional
    [req]
    distinguished_name = name
    [name]
    [list]
    authorityKeyIdentifier = keyid
    [root]
    basicConstraints = critical,CA:TRUE
    keyUsage = critical,keyCertSign,cRLSign
    subjectKeyIdentifier = hash
    [notca]
    basicConstraints = critical,CA:FALSE
    keyUsage = critical,digitalSignature
    subjectKeyIdentifier = hash
    authorityKeyIdentifier = keyid

    """ + authority("issuing")
    + authority("constrained", "pathlen:0\nnameConstraints = critical,permitted;DNS:example.org")
    + server("leaf", "serverAuth", "subjectAltName = DNS:api.example")
    + server("client", "clientAuth", "subjectAltName = DNS:phone.example")
    + server("org", "serverAuth", "subjectAltName = DNS:api.example.org")
    + server("mail", "emailProtection", "subjectAltName = DNS:api.example") + server("unnamed", "serverAuth", "")
}
