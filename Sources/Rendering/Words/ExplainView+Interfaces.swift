/// Explains API names of pinning libraries, for readers who know them from an app's code.
extension ExplainView {
  /// A name of a library's API, its meaning, and its notation in a scenario.
  struct InterfaceName: Sendable {
    let name: String
    let library: String
    let meaning: String
    /// The notation in a scenario; empty if the name needs none.
    let scenario: String
    var others: [String] = []
  }

  /// All API names of pinning libraries. Sources: AFNetworking's tags 1.1.0 to 4.0.1 (AFSecurityPolicy.h and .m),
  /// Alamofire's 4.9 and 5 (ServerTrustPolicy.swift, ServerTrustEvaluation.swift), TrustKit's 3.0
  /// (TSKTrustKitConfig.h).
  static let interfaceNames = afNetworkingNames + alamofireNames + trustKitNames

  static func interfaceName(_ word: String) -> [WordExplanation] {
    interfaceNames.filter { $0.name == word || $0.others.contains(word) }.map { entry in
      WordExplanation(
        "name of \(entry.library)", entry.name,
        [
          ("meaning", [entry.meaning]), ("also", entry.others), ("in scenarios", [entry.scenario]),
          ("more", ["trustlab explain \(entry.library)", "trustlab list words"]),
        ])
    }
  }

  private static let afNetworkingNames = [
    InterfaceName(
      name: "AFSecurityPolicy", library: "AFNetworking",
      meaning: "The class that evaluates a server's certificate for AFNetworking's managers.",
      scenario: "serverTrust: { library: AFNetworking 3.1, … }"),
    InterfaceName(
      name: "AFSSLPinningMode", library: "AFNetworking",
      meaning: "The part of a certificate that a policy compares with its pins: nothing, the public key or the whole "
        + "certificate.",
      scenario: "pinning: none, public-key or certificate", others: ["SSLPinningMode"]),
    InterfaceName(
      name: "AFSSLPinningModeNone", library: "AFNetworking",
      meaning: "No pins: the system's evaluation of the certificate decides.", scenario: "pinning: none"),
    InterfaceName(
      name: "AFSSLPinningModePublicKey", library: "AFNetworking",
      meaning: "The public key of a certificate on the path must be that of a pinned certificate. With "
        + "allowInvalidCertificates, from 2.2.1 on, only the key is checked: expired certificates and wrong names "
        + "pass.",
      scenario: "pinning: public-key"),
    InterfaceName(
      name: "AFSSLPinningModeCertificate", library: "AFNetworking",
      meaning: "The pinned certificates become the anchors, and one of them must be on the path (2.2.1 and later).",
      scenario: "pinning: certificate"),
    InterfaceName(
      name: "allowInvalidCertificates", library: "AFNetworking",
      meaning: "Whether certificates that the system refuses may pass. The default is NO.",
      scenario: "allowInvalidCertificates: true"),
    InterfaceName(
      name: "validatesDomainName", library: "AFNetworking",
      meaning: "Whether the certificate's names are compared with the host (2.1.0 and later). The default depends on "
        + "release and constructor: 2.5.0 to 2.5.2 leave it off for a policy without pins.",
      scenario: "validatesDomainName: false"),
    InterfaceName(
      name: "validatesCertificateChain", library: "AFNetworking",
      meaning:
        "Whether every certificate in the path must be pinned. It exists only in 2.1.0 to 2.5.4. The default is YES.",
      scenario: "validatesCertificateChain: false"),
    InterfaceName(
      name: "pinnedCertificates", library: "AFNetworking",
      meaning: "The certificates, in DER, that a policy compares with: an array until 2.x, a set since 3.0.",
      scenario: "pins: [api], collection: set"),
    InterfaceName(
      name: "defaultPolicy", library: "AFNetworking",
      meaning: "Creates a policy without pins, even if the app's bundle contains certificates.",
      scenario: "policy: default"),
    InterfaceName(
      name: "policyWithPinningMode:", library: "AFNetworking",
      meaning:
        "Creates a policy that pins the .cer files of a bundle: the library's bundle from 2.0.1 to 3.2.1, the main "
        + "bundle since 4.0.", scenario: "policy: with-mode",
      others: ["policyWithPinningMode", "policyWithPinningMode:withPinnedCertificates:"]),
    InterfaceName(
      name: "evaluateServerTrust:forDomain:", library: "AFNetworking",
      meaning: "Decides whether the server is trusted. The managers call it for each ServerTrust challenge.",
      scenario: "", others: ["evaluateServerTrust:", "evaluateServerTrust"]),
    InterfaceName(
      name: "setSessionDidReceiveAuthenticationChallengeBlock:", library: "AFNetworking",
      meaning: "The app's own block for challenges of the session. It replaces the policy.",
      scenario: "challengeBlock: session"),
    InterfaceName(
      name: "AFHTTPSessionManager", library: "AFNetworking",
      meaning: "The manager that loads with NSURLSession (2.0 and later).", scenario: "transport: session",
      others: ["AFURLSessionManager"]),
    InterfaceName(
      name: "AFHTTPRequestOperationManager", library: "AFNetworking",
      meaning: "The manager that loads with NSURLConnection (until 2.7).", scenario: "transport: connection",
      others: ["AFURLConnectionOperation"]),
  ]

  private static let alamofireNames = [
    InterfaceName(
      name: "ServerTrustManager", library: "Alamofire",
      meaning: "Maps hosts to evaluators (5.x). A host that is not listed is refused unless "
        + "allHostsMustBeEvaluated is false.", scenario: "serverTrust: { library: Alamofire 5.9, evaluators: { … } }"),
    InterfaceName(
      name: "PinnedCertificatesTrustEvaluator", library: "Alamofire",
      meaning: "Compares the certificates in the path with those of the app's bundle (5.x).",
      scenario: "kind: pinned-certificates"),
    InterfaceName(
      name: "PublicKeysTrustEvaluator", library: "Alamofire",
      meaning: "Compares the public keys in the path with those of the app's bundle (5.x).",
      scenario: "kind: public-keys"),
    InterfaceName(
      name: "ServerTrustPolicy", library: "Alamofire",
      meaning: "The check for a host (1.3 to 4.9): pinCertificates, pinPublicKeys and others.",
      scenario: "serverTrust: { library: Alamofire 4.9, policies: { … } }"),
  ]

  private static let trustKitNames = [
    InterfaceName(
      name: "kTSKPinnedDomains", library: "TrustKit",
      meaning: "The hosts whose public keys are pinned, each with its settings.",
      scenario: "serverTrust: { library: TrustKit 3.0, pinnedDomains: { … } }", others: ["TSKPinnedDomains"]),
    InterfaceName(
      name: "kTSKPublicKeyHashes", library: "TrustKit",
      meaning:
        "SHA-256 hashes of public keys in Base64. If pins are enforced, at least two different hashes are required.",
      scenario: "publicKeyHashes: [api, backup]", others: ["TSKPublicKeyHashes"]),
    InterfaceName(
      name: "kTSKEnforcePinning", library: "TrustKit",
      meaning: "Whether a mismatch ends the connection, or is only reported.", scenario: "enforcePinning: false",
      others: ["TSKEnforcePinning"]),
    InterfaceName(
      name: "kTSKIncludeSubdomains", library: "TrustKit",
      meaning: "Whether the entry also covers the subdomains of the host.", scenario: "includeSubdomains: true",
      others: ["TSKIncludeSubdomains"]),
    InterfaceName(
      name: "kTSKSwizzleNetworkDelegates", library: "TrustKit",
      meaning: "Whether TrustKit replaces the app's delegates, so that pins apply without a call by the app.",
      scenario: "use: swizzle", others: ["TSKSwizzleNetworkDelegates"]),
  ]
}
