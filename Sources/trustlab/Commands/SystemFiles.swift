import Foundation
import Trust

/// What a machine knows by itself, in the places where its packages put it.
enum SystemFiles {
  /// The list of public suffixes, where the package publicsuffix is installed.
  static let publicSuffixes: PublicSuffixes = {
    let path = "/usr/share/publicsuffix/public_suffix_list.dat"
    guard let bytes = FileManager.default.contents(atPath: path), bytes.count <= 1 << 23 else { return .unavailable }
    return PublicSuffixes(String(decoding: bytes, as: UTF8.self))
  }()
}
