import Endpoint
import PKIX
import Trust
import URLLoading

extension ClientEndpoint.Configuration {
  /// The fingerprints of the public keys that the app pins, in its property list or in code.
  var pinnedKeys: Set<[UInt8]> {
    let rules = challenges.delegate?.rules ?? []
    let pins = (trust.requirements.pins + rules.flatMap { $0.inspection?.pins ?? [] }).flatMap(\.pins).map(
      \.fingerprint)
    return Set(pins + rules.flatMap { $0.library?.pinnedKeys ?? [] })
  }
}

extension LibraryPolicy {
  /// The fingerprints of the public keys that the app pins through the library.
  fileprivate var pinnedKeys: [[UInt8]] {
    switch self {
    case .afNetworking(let library): library.pins.fingerprints
    case .alamofire(let library): library.entries?.values.flatMap { $0.pins.fingerprints } ?? []
    case .trustKit(let library): library.domains.values.flatMap(\.pins).map(\.fingerprint)
    }
  }
}

extension Alamofire.Entry {
  fileprivate var pins: [PinnedFile] {
    switch self {
    case .evaluator(let evaluator): evaluator.pins
    case .policy(.pinCertificates(let pins, _, _)), .policy(.pinPublicKeys(let pins, _, _)): pins
    case .policy: []
    }
  }
}

extension Alamofire.Evaluator {
  fileprivate var pins: [PinnedFile] {
    switch self {
    case .pinnedCertificates(let pins, _, _, _), .publicKeys(let pins, _, _): pins
    case .composite(let members): members.flatMap(\.pins)
    case .standard, .revocation, .disabled, .custom: []
    }
  }
}

extension [PinnedFile] {
  fileprivate var fingerprints: [[UInt8]] {
    compactMap { $0.certificate.map(PublicKeyPins.Pin.fingerprint(of:)) }
  }
}
