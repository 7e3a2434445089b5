import Foundation
import Trust

/// Files that the machine's packages install.
enum SystemFiles {
  /// The public suffix list of the package publicsuffix, if it is installed.
  static let publicSuffixes: PublicSuffixes = {
    let path = "/usr/share/publicsuffix/public_suffix_list.dat"
    guard let bytes = FileManager.default.contents(atPath: path), bytes.count <= 1 << 23 else { return .unavailable }
    return PublicSuffixes(String(decoding: bytes, as: UTF8.self))
  }()
}
