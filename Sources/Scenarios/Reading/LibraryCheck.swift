import Cryptography
import Explanation
import Trust
import URLLoading

/// Checks that a library can be set up as it is described: an exception ends the app before anything is loaded, and who
/// means that expects `pin.invalid-configuration`.
struct LibraryCheck {
  let scenario: Scenario
  let sink: DiagnosticSink

  func run() {
    for connection in scenario.connections where connection.replayed == nil {
      guard let library = connection.client.serverTrust.library, let exception = library.exception else { continue }
      let expected = [connection.expectation, scenario.expectation].compactMap(\.?.because).flatMap(\.self)
      if expected.contains(Rule.invalidPinning.id) { continue }
      let place = scenario.tree["client"]?["serverTrust"]
      let entry = place?["pinnedDomains"]?[exception.place] ?? place?["pinnedDomains"] ?? place
      sink.error(
        "\(library.version) throws when it is set up: \(exception.words)",
        hint: "\(exception.hint); where that is the point, expect because: [\(Rule.invalidPinning.id)]",
        at: entry?.mark ?? connection.mark)
    }
  }
}

/// What a library throws at, and where.
struct LibraryException {
  let place: String
  let words: String
  let hint: String
}

extension LibraryDescription {
  /// What it throws at when the app sets it up; nil where it takes its configuration.
  var exception: LibraryException? {
    switch self {
    case .trustKit(let library): library.exception
    case .afNetworking(let library): library.exception
    case .alamofire: nil
    }
  }
}

extension TrustKitDescription {
  /// Keys are told apart by the names of their certificates, which is as much as can be known before they are made.
  fileprivate var exception: LibraryException? {
    let library = policy { text in
      let bytes = text.hasPrefix("sha256/") ? try? Base64.decode(String(text.dropFirst(7))) : nil
      return PublicKeyPins.Pin(
        name: text, fingerprint: bytes ?? Hash.sha256.digest(PinList.certificate(text).utf8))
    }
    guard let exception = library.exception else { return nil }
    guard case .entry(let name, let error) = exception else {
      return LibraryException(place: "", words: exception.description, hint: Self.hint(nil))
    }
    return LibraryException(place: name, words: exception.description, hint: Self.hint(error))
  }

  private static func hint(_ error: TrustKit.EntryError?) -> String {
    switch error {
    case .tooFewPins: "name a second key, as a backup: publicKeyHashes: [api, spare.key]"
    case .noAlgorithms: "write publicKeyAlgorithms: [rsa-2048], the kind of the server's key"
    default: "TrustKit pins names that can be registered"
    }
  }
}

extension AFNetworkingDescription {
  fileprivate var exception: LibraryException? {
    guard pinning != .none, version.isAtLeast(3, 2), baseURL?.lowercased().hasPrefix("https:") != true else {
      return nil
    }
    return LibraryException(
      place: "", words: "\"Invalid Security Policy\", since the manager has no base URL of https",
      hint: "write baseURL: \"https://api.example/\"")
  }
}
