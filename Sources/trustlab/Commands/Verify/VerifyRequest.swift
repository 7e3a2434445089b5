import Cryptography
import PKIX
import Rendering
import Trust

/// A request of `verify --ndjson`: `{"chain": ["…"], "roots": ["…"] or "rootsFile": "…", "host": "…", "at": "…",
/// "profile": "…"}` and what the other options say; certificates and lists are PEM, or DER in base 64.
struct VerifyRequest {
  private let chain: [Certificate]
  private let settings: VerifySettings

  /// The members that are read; `id` is read by the stream.
  private static let names = [
    "chain", "roots", "rootsFile", "userRoots", "appRoots", "host", "purpose", "at", "profile", "os", "crl", "policy",
    "id",
  ]

  /// Reads a request; what it leaves out is as `usual` has it.
  ///
  /// - Throws: `Complaint` or `Diagnostics` about the first member that is wrong.
  init(_ json: JSONValue, usual: VerifySettings, files: RootFiles) throws {
    let members = try RequestMembers(json, named: Self.names)
    guard let chain = try Self.certificates(members, "chain") else {
      throw Complaint(message: "'chain' is missing", hint: #"write {"chain": ["MII…"]}, the server's own first"#)
    }
    var settings = usual
    if let roots = try Self.roots(members, files) { settings.roots = roots }
    if let roots = try Self.certificates(members, "userRoots") { settings.userRoots = roots }
    if let roots = try Self.certificates(members, "appRoots") { settings.appRoots = roots }
    if let host = try members.text("host") { settings.host = try VerifySettings.host(host) }
    if let purpose = try members.text("purpose") { settings.purpose = try VerifySettings.named(purpose, "purpose") }
    if let date = try members.text("at") { settings.date = try VerifySettings.date(date) }
    if let policies = try members.texts("policy") { settings.policies = try VerifySettings.policies(policies) }
    if let lists = try members.texts("crl") { settings.lists = try Self.lists(lists) }
    if let profile = try members.text("profile") { settings.profile = try VerifySettings.named(profile, "profile") }
    if let os = try members.text("os") {
      settings.os = try .named(os)
      try settings.checkSystem("'os'")
    }
    (self.chain, self.settings) = (chain, settings)
  }

  var answer: [JSONValue.Member] { VerifyView(settings.question(about: chain)).members }

  private static func roots(_ members: RequestMembers, _ files: RootFiles) throws -> [Certificate]? {
    let roots = try certificates(members, "roots")
    guard let path = try members.text("rootsFile") else { return roots }
    guard roots == nil else {
      throw Complaint(message: "there are 'roots' and a 'rootsFile'", hint: "leave one of them out")
    }
    return try files.certificates(in: path)
  }

  private static func certificates(_ members: RequestMembers, _ name: String) throws -> [Certificate]? {
    try members.texts(name)?.enumerated().flatMap { index, text in
      do throws(Certificate.FileError) {
        return try Certificate.certificates(inPEMOrDER: bytes(text))
      } catch {
        throw Complaint(message: "'\(name)' \(index + 1): \(error)", hint: error.remedy)
      }
    }
  }

  private static func lists(_ texts: [String]) throws -> [CertificateRevocationList] {
    try texts.enumerated().flatMap { index, text in
      do throws(Certificate.FileError) {
        return try CertificateRevocationList.lists(inPEMOrDER: bytes(text))
      } catch {
        throw Complaint(message: "'crl' \(index + 1): \(error)", hint: error.remedy)
      }
    }
  }

  /// PEM as it is; anything else is base 64.
  private static func bytes(_ text: String) throws(Certificate.FileError) -> [UInt8] {
    if text.contains("-----BEGIN ") { return Array(text.utf8) }
    do throws(PEMError) { return try Base64.decode(text) } catch { throw .pem(error) }
  }
}

/// Files of roots that requests name, each read once; the few that were read first are kept.
final class RootFiles {
  private static let limit = 16
  private var files: [String: [Certificate]] = [:]

  /// The certificates in the file at `path`.
  ///
  /// - Throws: `Complaint` or `Diagnostics` when there are none to be had.
  func certificates(in path: String) throws -> [Certificate] {
    if let known = files[path] { return known }
    guard path != "-" else {
      throw Complaint(message: "'rootsFile' is standard input", hint: "requests are read there: name a file")
    }
    let certificates = try CertificateFiles.certificates(in: [path])
    if files.count < Self.limit { files[path] = certificates }
    return certificates
  }
}

extension VerifySettings {
  /// A system has its own rules, and no other profile takes any from it.
  func checkSystem(_ name: String) throws {
    guard os == nil || profile == .apple else {
      throw Complaint(
        message: "\(name) belongs to the profile apple, not to \(profile.rawValue)",
        hint: "leave one of system and profile out")
    }
  }
}
