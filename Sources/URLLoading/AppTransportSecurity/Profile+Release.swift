import Explanation
import Trust

extension AppTransportSecurity.Profile {
  /// Whether the code of the era's systems is closed, so that documentation and observation are all there is.
  var isClosed: Bool { [.ios9, .ios10, .ios17].contains(name) }

  /// The newest release that sources speak of; it has the keys of NIAP's levels.
  private static let newest = "26.4"

  /// What is not sure about the release itself: one that never was, or that is newer than every source.
  ///
  /// Apple's numbers went from iOS 18 and macOS 15 to 26, in 2025.
  public var releaseDoubt: Finding.Confidence? {
    let (last, newest) = os.family == .iOS ? (18, 26) : (15, 26)
    guard os.family != .documentation, os.major > last, os.major != newest else { return nil }
    if os.major > newest {
      return .likely(
        "\(os) is newer than every source; it is taken to decide like \(os.family.rawValue) \(Self.newest)")
    }
    return .unknown(
      "there never was \(os): after \(os.family.rawValue) \(last) came \(newest), and it decides like that")
  }

  /// What the profile rests on, in a few words.
  public var basis: String {
    switch name {
    case .none: "documentation: App Transport Security came with iOS 9 and OS X 10.11"
    case .ios9, .ios10, .ios17: "documentation and observation; the code of these systems is closed"
    case .modern: "Apple's open source, and documentation of what is newer"
    case .documentation: "Apple's documentation to the letter"
    }
  }
}
