import Cryptography
import PKIX
import Trust
import URLLoading

/// Creates the challenge delegate of a library.
struct LibraryBuilder {
  let hierarchy: Hierarchy

  /// Returns a delegate that decides about servers as the library does, and answers other challenges in the library's
  /// own way.
  func delegate(_ description: LibraryDescription, _ loader: Loader) -> ChallengeDelegate {
    let policy = policy(description)
    var rules = [ChallengeRule(policy)]
    if case .trustKit(let library) = description, library.otherwise == .acceptAll {
      rules += ChallengeDelegate.acceptAll.rules
    }
    rules.append(others(policy, loader))
    return ChallengeDelegate(rules, methods: methods(policy, loader), canAuthenticate: [.serverTrust])
  }

  /// Returns the library's answer to challenges that are not about a server.
  private func others(_ policy: LibraryPolicy, _ loader: Loader) -> ChallengeRule {
    guard case .afNetworking(let library) = policy else { return .defaultHandling }
    // With the pinning macro, versions 1.1.0 to 1.2.1 respond only to ServerTrust, so the load hangs.
    let isSilent = library.version.isAtLeast(1, 1) && !library.version.isAtLeast(1, 3) && library.pinning != .none
    if isSilent { return ChallengeRule(answers: []) }
    // AFURLConnectionOperation continues without a credential. Version 4.0.0 treats every challenge as ServerTrust, and
    // fails if there is no trust object.
    if loader == .nsurlConnection { return ChallengeRule(answers: [.continueWithoutCredential]) }
    return library.version.number == "4.0.0" ? ChallengeRule(answers: [.raise]) : .defaultHandling
  }

  private func methods(_ policy: LibraryPolicy, _ loader: Loader) -> Set<DelegateMethod> {
    switch loader {
    case .nsurlConnection: return [.willSendRequest]
    case .wkWebView: return [.navigation]
    default: break
    }
    guard case .afNetworking(let library) = policy else { return [.session, .task] }
    // Version 4 implements the session's method only if the app has set a block for it.
    return library.version.isAtLeast(4, 0) && library.challengeBlock != .session ? [.task] : [.session, .task]
  }

  private func policy(_ description: LibraryDescription) -> LibraryPolicy {
    switch description {
    case .afNetworking(let description): .afNetworking(policy(description))
    case .alamofire(let description): .alamofire(description.policy(file))
    case .trustKit(let description): .trustKit(description.policy(pin))
    }
  }

  private func policy(_ description: AFNetworkingDescription) -> AFNetworking {
    var library = description.policy
    let loaded = description.loaded()
    library.pins =
      description.pins?.map(file)
      ?? loaded.files.map { entry in
        PinnedFile(entry.file, entry.encoding == .der ? entry.holds.flatMap { file($0).certificate } : nil)
      }
    // Version 2.6 and later keep each certificate only once.
    if library.version.isAtLeast(2, 6) {
      var seen: Set<PinnedFile> = []
      library.pins = library.pins.filter { seen.insert($0).inserted }
    }
    library.unloaded = loaded.unloaded
    return library
  }

  private func file(_ name: String) -> PinnedFile {
    PinnedFile(name, hierarchy[name]?.certificates.first?.certificate)
  }

  private func pin(_ text: String) -> PublicKeyPins.Pin? {
    if text.hasPrefix("sha256/") {
      return (try? Base64.decode(String(text.dropFirst(7)))).map { PublicKeyPins.Pin(name: text, fingerprint: $0) }
    }
    let name = PinList.certificate(text)
    return hierarchy[name]?.certificates.first.map { PublicKeyPins.Pin(keyOf: $0.certificate, named: name) }
  }
}
