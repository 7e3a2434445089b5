import Cryptography
import Endpoint
import Explanation
import PKIX
import TLS
import Trust
import URLLoading

/// An authority or a certificate as a scenario describes it.
public struct CertificateDescription: Sendable {
  /// Where the client's store has an authority.
  public enum Store: String, Sendable, CaseIterable {
    case system
    case user
    case installedNotTrusted = "installed-not-trusted"
    case distrusted
    case denied
    case asked = "ask"
    case none
  }

  /// The author's name for it.
  public let name: String
  /// Whether it stands under `authorities`.
  public let isAuthority: Bool
  /// Who signs it; nil when it signs itself.
  public let issuer: String?
  /// Kind and size of its key.
  public let key: KeyKind
  /// The hash of its signature: a word of `Vocabulary.signatureWords`.
  public let signature: String
  /// DNS names and IP addresses of subjectAltName.
  public let names: [String]
  /// The bits of entropy its key was made with; nil for a good generator.
  public let entropy: Int?
  /// The certificate whose key has a prime in common with this one's; nil for a good generator.
  public let sharesPrimeWith: String?
  /// The subject's common name; nil for the usual one.
  public let commonName: String?
  /// When it becomes valid; nil for the usual day.
  public let notBefore: Instant?
  /// When it expires; nil for `days` after `notBefore`.
  public let notAfter: Instant?
  /// How many days it is valid; nil for the usual number.
  public let days: Int?
  /// Where the client's store has it.
  public let trust: Store
  /// What systems were told not to trust of it and of what it signed.
  public let distrusts: [DistrustDescription]
  /// Where its certificate can be fetched; what it signs says so.
  public let issuerLocation: String?
  /// The certificate whose key it is for, and whose name where no other is given.
  public let crossSigned: String?
  /// The names that certificates below it may have; nil where any will do.
  public let nameConstraints: NameConstraints?
  /// The version; nil for 3.
  public let version: Int?
  /// The contents of its serial number; nil for a drawn one.
  public let serial: [UInt8]?
  /// When its authority revoked it; nil when it did not.
  public let revoked: Instant?
  /// pathLenConstraint of basicConstraints.
  public let pathLength: Int?
  /// Bits of keyUsage; nil for the usual ones.
  public let keyUsage: [String]?
  /// Purposes of extendedKeyUsage; nil for the usual ones.
  public let extendedKeyUsage: [String]?
  /// The signed certificate timestamps it comes with; nil where nobody says.
  public let timestamps: CertificateTimestamps?
  /// How it is broken on purpose.
  public let faults: [Fault]
  /// The file it is read from instead of being issued.
  public let pem: FileReference?
  /// The file of its private key.
  public let privateKey: FileReference?
  /// Where it stands in the file.
  public let mark: SourceMark

  /// Whether third parties can compute its private key.
  public var isWeak: Bool { sharesPrimeWith != nil || (entropy ?? 128) <= RandomQuality.searchableBits }
}

/// A file that a scenario names, resolved against the scenario's own folder.
public struct FileReference: Sendable, Hashable {
  /// The path to open.
  public let path: String
  /// Where the scenario names it.
  public let mark: SourceMark
}

/// A server as a scenario describes it.
public struct ServerDescription: Sendable {
  /// The host name it answers for.
  public let host: String
  /// The names of the certificates it sends, leaf first.
  public let presents: [String]
  /// The protocol versions it speaks.
  public let versions: [ProtocolVersion]
  /// The cipher suites it accepts, best first.
  public let cipherSuites: [CipherSuite]
  /// The groups it does ECDHE with, best first.
  public let groups: [NamedGroup]
  /// How it signs its key exchange, best first; nil for the usual ways.
  public let signatureSchemes: [SignatureScheme]?
  /// The protocols it speaks inside TLS, best first.
  public let applicationProtocols: [ApplicationProtocol]
  /// Whether it asks who the client is.
  public let clientAuthentication: ClientAuthentication
  /// The names of the authorities it trusts for clients.
  public let clientAuthorities: [String]
  /// Whether clients may go on with an earlier session.
  public let resumesSessions: Bool
  /// Its answers by request line: `GET /`.
  public let content: [String: HTTPAnswer]
  /// The values whose generators are not good.
  public let random: [Value.ID: RandomQuality]
  /// The historical bug that it has; nil for none.
  public let mutant: Mutant?
  /// Where it stands in the file.
  public let mark: SourceMark
}

extension ServerDescription {
  /// Where its answers lead elsewhere, in the order of the request lines.
  var redirects: [(line: String, target: String)] {
    content.sorted { $0.key < $1.key }.compactMap { line, answer in
      if case .redirect(let target, _) = answer { (line, target) } else { nil }
    }
  }
}

/// The app and the system it runs on, as a scenario describes them.
public struct ClientDescription: Sendable {
  /// Where the App Transport Security dictionary comes from.
  public enum InfoPlist: Sendable {
    /// The NSAppTransportSecurity dictionary itself.
    case inline(PropertyList)
    /// A real Info.plist.
    case file(FileReference)
  }

  /// The operating system.
  public let os: OSVersion
  /// The API that loads the URL.
  public let loader: Loader
  /// Where the App Transport Security dictionary comes from.
  public let infoPlist: InfoPlist
  /// The SDK that the app is linked against; nil for the system's own.
  public let linkedSDK: OSVersion?
  /// Whether the network says that an address is direct; nil to tell it from the address.
  public let isDirect: Bool?
  /// What the app does about the server's certificate.
  public let serverTrust: ServerTrustDescription
  /// Whether it fetches the certificates of issuers that a server does not present.
  public let fetchesIssuers: Bool
  /// What it does about revocation.
  public let revocation: RevocationPolicy.Mode
  /// How the server may sign, best first; nil for the usual ways.
  public let signatureSchemes: [SignatureScheme]?
  /// The names of the certificates it shows a server that asks who it is, leaf first; a single one is followed by its
  /// issuers below the root, none shows none.
  public let identity: [String]
  /// Whether it goes on with an earlier session.
  public let resumesSessions: Bool
  /// The protocols it offers to speak inside TLS, best first.
  public let applicationProtocols: [ApplicationProtocol]
  /// The values whose generators are not good.
  public let random: [Value.ID: RandomQuality]
  /// The historical bug that it or its app has; nil for none.
  public let mutant: Mutant?
}

/// A connection: a client that loads a URL.
public struct ConnectionDescription: Sendable {
  /// The name its values are prefixed with; nil for the only one.
  public let name: String?
  /// The URL as the author wrote it.
  public let url: String
  /// What is asked for, method, body and all; nil for a GET of the URL.
  public let request: HTTPRequest?
  /// The earlier connection whose client's messages an attacker sends again, in the place of a client.
  public let replayed: String?
  /// Where the URL stands.
  public let mark: SourceMark
  /// The app that loads it.
  public let client: ClientDescription
  /// What must come out of it.
  public let expectation: Expectation?
}

extension ConnectionDescription {
  /// What the connection is called that so many redirects have led to; the load itself is the first of them.
  func hopName(_ hop: Int) -> String { (name.map { "\($0)." } ?? "") + "hop\(hop + 1)" }

  /// The same connection, called by `day`, or by its own name on that day.
  func named(_ day: String?) -> ConnectionDescription {
    guard let day else { return self }
    return ConnectionDescription(
      name: name.map { "\(day).\($0)" } ?? day, url: url, request: request, replayed: replayed, mark: mark,
      client: client, expectation: expectation)
  }
}
