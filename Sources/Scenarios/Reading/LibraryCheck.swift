import Cryptography
import Explanation
import Trust
import URLLoading

/// Checks that a library accepts its configuration. Otherwise, an exception ends the app before it loads anything.
///
/// A scenario about the exception must expect `pin.invalid-configuration`.
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
        hint: "\(exception.hint); to test the exception, expect because: [\(Rule.invalidPinning.id)]",
        at: entry?.mark ?? connection.mark)
    }
  }
}

/// The exception that a library throws, and the entry that causes it.
struct LibraryException {
  let place: String
  let words: String
  let hint: String
}

extension LibraryDescription {
  /// The exception that the library throws at setup; nil if it accepts its configuration.
  var exception: LibraryException? {
    switch self {
    case .trustKit(let library): library.exception
    case .afNetworking(let library): library.exception
    case .alamofire: nil
    }
  }
}

extension TrustKitDescription {
  /// The exception that the library throws at setup. Keys are compared by the names of their certificates, because they
  /// do not exist yet.
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
    default: "pin a domain under a public suffix, such as api.example"
    }
  }
}

extension AFNetworkingDescription {
  fileprivate var exception: LibraryException? {
    guard pinning != .none, version.isAtLeast(3, 2), baseURL?.lowercased().hasPrefix("https:") != true else {
      return nil
    }
    return LibraryException(
      place: "", words: "\"Invalid Security Policy\", because the manager has no https base URL",
      hint: "write baseURL: \"https://api.example/\"")
  }
}
