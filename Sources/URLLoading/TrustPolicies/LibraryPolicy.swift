import Explanation
import PKIX
import Trust

/// A library that decides about servers in the app's place.
public enum LibraryPolicy: Sendable {
  /// AFNetworking's AFSecurityPolicy.
  case afNetworking(AFNetworking)
  /// Alamofire's server trust.
  case alamofire(Alamofire)
  /// TrustKit's validator.
  case trustKit(TrustKit)

  /// The release.
  public var version: LibraryVersion {
    switch self {
    case .afNetworking(let library): library.version
    case .alamofire(let library): library.version
    case .trustKit(let library): library.version
    }
  }

  /// What it throws at when the app sets it up, which ends the app before it loads anything from `host`; nil where it takes
  /// its configuration.
  public func failure(loading host: String, _ enforcement: Enforcement) -> LibraryStep? {
    switch self {
    case .afNetworking(let library): library.failure(host, enforcement)
    case .alamofire: nil
    case .trustKit(let library): library.failure(host, enforcement)
    }
  }

  /// What it answers a challenge with a server's trust.
  public func verdict(on presented: TrustInspection.Presented) -> LibraryVerdict {
    switch self {
    case .afNetworking(let library): library.answer(presented)
    case .alamofire(let library): library.answer(presented)
    case .trustKit(let library): library.answer(presented)
    }
  }

  /// What a delegate learns of a trust by it, in the place of an inspection of its own.
  func report(on presented: TrustInspection.Presented) -> TrustInspection.Report {
    let verdict = verdict(on: presented)
    return TrustInspection.Report(
      inspection: TrustInspection(), status: 0, result: verdict.evaluation?.result, evaluation: verdict.evaluation,
      findings: verdict.findings, isGood: verdict.accepts, library: verdict)
  }
}
