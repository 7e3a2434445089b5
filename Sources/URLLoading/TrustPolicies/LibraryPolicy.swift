import Explanation
import PKIX
import Trust

/// A library that evaluates servers for the app.
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

  /// Returns the exception that ends the app at setup, before it loads anything from `host`; nil if there is none.
  public func failure(loading host: String, _ enforcement: Enforcement) -> LibraryStep? {
    switch self {
    case .afNetworking(let library): library.failure(host, enforcement)
    case .alamofire: nil
    case .trustKit(let library): library.failure(host, enforcement)
    }
  }

  /// Returns the library's response to a server trust challenge.
  public func verdict(on presented: TrustInspection.Presented) -> LibraryVerdict {
    switch self {
    case .afNetworking(let library): library.answer(presented)
    case .alamofire(let library): library.answer(presented)
    case .trustKit(let library): library.answer(presented)
    }
  }

  /// Returns the library's report on a trust, which replaces an inspection by the delegate.
  func report(on presented: TrustInspection.Presented) -> TrustInspection.Report {
    let verdict = verdict(on: presented)
    return TrustInspection.Report(
      inspection: TrustInspection(), status: 0, result: verdict.evaluation?.result, evaluation: verdict.evaluation,
      findings: verdict.findings, isGood: verdict.accepts, library: verdict)
  }
}
