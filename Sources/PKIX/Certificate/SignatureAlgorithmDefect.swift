import Cryptography
import Explanation

/// The reason why an algorithm identifier cannot be used to verify signatures.
public enum SignatureAlgorithmDefect: Sendable, Hashable {
  /// The algorithm is not supported.
  case unknown
  /// Parameters are present, although the standard requires them to be absent (ECDSA, EdDSA and DSA).
  case parametersPresent
  /// The parameters of RSA PKCS #1 v1.5 are not NULL.
  case parametersNotNull
  /// The parameters of RSASSA-PSS cannot be used.
  case pss(PSSParameters.Defect)
}

extension AlgorithmIdentifier {
  /// The defect of the identifier; nil if it can be used to verify signatures.
  public var signatureDefect: SignatureAlgorithmDefect? {
    if oid == .rsassaPSS {
      do throws(PSSParameters.Defect) {
        _ = try PSSParameters(reading: parameters)
        return signatureScheme == nil ? .unknown : nil
      } catch {
        return .pss(error)
      }
    }
    guard let scheme = AlgorithmIdentifier.schemes[oid] else { return .unknown }
    guard signatureScheme == nil else { return nil }
    return scheme.keyKind == .rsa ? .parametersNotNull : .parametersPresent
  }

  /// The name of the algorithm and its hash. For RSASSA-PSS, the hash is in the parameters.
  public var nameWithHash: String { pssParameters == nil ? description : fullDescription }

  /// The algorithm and its parameters, such as `ecdsa-with-SHA256 with NULL as parameters`.
  public var fullDescription: String {
    if let pss = pssParameters {
      return "\(oid.name) with \(pss.hash.name), MGF1 with \(pss.maskHash.name) and a salt of \(pss.saltLength) bytes"
    }
    if parameters.isEmpty { return "\(oid.name) without parameters" }
    if parameters == [DERTag.null, 0] { return "\(oid.name) with NULL as parameters" }
    let start = Hex.string(Array(parameters.prefix(AlgorithmIdentifier.shownBytes)))
    return "\(oid.name) with the parameters \(start)\(parameters.count > AlgorithmIdentifier.shownBytes ? "…" : "")"
  }

  private static let shownBytes = 24
}

/// The content of a finding about an algorithm identifier.
struct AlgorithmFault {
  let rule: Rule
  let required: Detail
  let found: Detail

  private init(rule: Rule, required: Detail, found: Detail) {
    self.rule = rule
    self.required = required
    self.found = found
  }

  private init(_ clause: Clause, required: String, found: String, fix: String) {
    self.init(
      rule: .unsupportedSignatureAlgorithm.citing(clause).fixed(by: fix), required: .word(required),
      found: .word(found))
  }
}

extension AlgorithmFault {
  /// Describes an identifier that cannot be used to verify signatures.
  init(_ defect: SignatureAlgorithmDefect, of algorithm: AlgorithmIdentifier) {
    let found = algorithm.fullDescription
    switch defect {
    case .unknown:
      self.init(
        rule: .unsupportedSignatureAlgorithm, required: .none, found: .word(algorithm.description))
    case .parametersPresent:
      self.init(
        AlgorithmFault.clause(of: algorithm), required: "\(algorithm) without parameters", found: found,
        fix: "Issue the certificate again, without parameters in the algorithm identifier.")
    case .parametersNotNull:
      self.init(
        .rfc(4055, "5"), required: "\(algorithm) with NULL as parameters", found: found,
        fix: "Issue the certificate again, with NULL as the parameters of the algorithm identifier.")
    case .pss(let defect): self.init(defect, found: found)
    }
  }

  /// Returns the clause that forbids parameters for an algorithm.
  private static func clause(of algorithm: AlgorithmIdentifier) -> Clause {
    switch AlgorithmIdentifier.schemes[algorithm.oid]?.keyKind {
    case .eddsa: .rfc(8410, "3")
    case .dsa: .rfc(5758, "3.1")
    default: .rfc(5758, "3.2")
    }
  }

  private init(_ defect: PSSParameters.Defect, found: String) {
    let part = AlgorithmFault.part(defect)
    self.init(.rfc(4055, "3.1"), required: part.required, found: part.found ?? found, fix: part.fix)
  }

  /// The requirement for one parameter, its value, and the fix. The value is nil if the whole identifier already shows
  /// it.
  private struct Part {
    let required: String
    let found: String?
    let fix: String
  }

  private static func part(_ defect: PSSParameters.Defect) -> Part {
    switch defect {
    case .absent:
      Part(
        required: "RSASSA-PSS parameters: the hash, the mask generation function and the salt length", found: nil,
        fix: "Issue the certificate again, with the RSASSA-PSS parameters of its signature.")
    case .malformed:
      Part(
        required: "parameters of the type RSASSA-PSS-params", found: nil,
        fix: "Issue the certificate again, with parameters of the type RSASSA-PSS-params in the algorithm identifier.")
    case .hash(let oid):
      Part(
        required: hashes, found: "the hash \(oid) in the RSASSA-PSS parameters",
        fix: "Issue the certificate again, with SHA-256 as the hash of RSASSA-PSS.")
    case .maskFunction(let oid):
      Part(
        required: "MGF1 as the mask generation function", found: "the mask generation function \(oid)",
        fix: "Issue the certificate again, with MGF1 as the mask generation function of RSASSA-PSS.")
    case .maskHash(let oid):
      Part(
        required: "MGF1 with \(hashes)", found: "MGF1 with the hash \(oid)",
        fix: "Issue the certificate again, and use the hash of the signature in MGF1 too.")
    case .saltLength(let length):
      Part(
        required: "a saltLength that is not negative and fits into the modulus", found: "saltLength \(length)",
        fix: "Issue the certificate again, with a salt as long as the digest.")
    case .trailerField(let number):
      Part(
        required: "trailerField 1", found: "trailerField \(number)",
        fix: "Issue the certificate again, and omit trailerField from the RSASSA-PSS parameters: its default is 1.")
    }
  }

  private static let hashes = "SHA-256, SHA-384, SHA-512, SHA-224 or SHA-1"
}

extension AlgorithmFault {
  /// Describes an identifier of a known algorithm that does not match the issuer's key.
  init(_ algorithm: AlgorithmIdentifier, by key: PublicKey) {
    switch key {
    case .rsa(let rsa):
      guard case .pss(let own) = rsa.usage else { break }
      guard let form = algorithm.pssParameters else {
        self.init(
          .rfc(4055, "1.2"), required: "RSASSA-PSS: the issuer's key (id-RSASSA-PSS) is restricted to it",
          found: algorithm.fullDescription,
          fix: "Issue the certificate again with RSASSA-PSS, or give the CA an RSA key of the type rsaEncryption.")
        return
      }
      if let own {
        self.init(form, restrictedTo: own)
        return
      }
    case .unsupported(let key) where key.algorithmName == "RSASSA-PSS":
      if let fault = AlgorithmFault(parametersOf: key) {
        self = fault
        return
      }
    case .unsupported(let key) where key.algorithmName == "DSA":
      self.init(
        .rfc(5280, "6.1.4 (d) to (f)"),
        required: "DSA domain parameters in the key, or inherited from the issuer's key",
        found: "a DSA key with absent or unusable parameters",
        fix: "Issue the CA's certificate again, with the domain parameters in its DSA key.")
      return
    case .unsupported(let key):
      self.init(
        .rfc(5280, "6.1.3 (a)(1)"), required: "an issuer's key that can verify signatures",
        found: "\(algorithm.fullDescription) by a key for \(key.algorithmName)",
        fix: "Use a CA with an RSA key (rsaEncryption) or an elliptic-curve key on P-256, P-384 or P-521.")
      return
    default: break
    }
    self.init(
      .rfc(5280, "6.1.3 (a)(1)"), required: "an algorithm that fits the issuer's key, \(key.description)",
      found: "\(algorithm.fullDescription) by a key for \(key.algorithmName)",
      fix: "Present the issuer's certificate for the key that made the signature. If there is none, issue the "
        + "certificate again with an algorithm that fits the issuer's key.")
  }

  /// Describes an RSASSA-PSS signature in a form that the issuer's key does not permit (RFC 4055 section 3.3).
  private init(_ form: PSSParameters, restrictedTo own: PSSParameters) {
    let restriction = ": the issuer's key is restricted to it"
    var required = "a salt of at least \(own.saltLength) bytes"
    var found = "a salt of \(form.saltLength) bytes"
    if form.hash != own.hash {
      (required, found) = ("the hash \(own.hash.name)", "the hash \(form.hash.name)")
    } else if form.maskHash != own.maskHash {
      (required, found) = ("MGF1 with \(own.maskHash.name)", "MGF1 with \(form.maskHash.name)")
    }
    self.init(
      .rfc(4055, "3.3"), required: required + restriction, found: found,
      fix: "Issue the certificate again, with a signature that the RSASSA-PSS parameters of the CA's key allow.")
  }

  /// Describes an RSASSA-PSS key whose own parameters cannot be used.
  private init?(parametersOf key: UnsupportedPublicKey) {
    do throws(PSSParameters.Defect) {
      _ = try PSSParameters(reading: key.parameters ?? [])
      return nil
    } catch {
      guard error != .absent else { return nil }
      let fault = AlgorithmFault(error, found: "other parameters")
      self.init(
        .rfc(4055, "3.1"), required: "\(fault.required.description), in the issuer's key",
        found: "\(fault.found.description), in the issuer's key",
        fix: "Issue the CA's certificate again, for a key with RSASSA-PSS parameters that clients support, or without "
          + "parameters.")
    }
  }
}
