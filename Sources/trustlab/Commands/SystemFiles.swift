import Foundation
import Trust

/// Files that are installed by packages of the operating system.
enum SystemFiles {
  /// The public suffix list from the package publicsuffix, if it is installed.
  static let publicSuffixes: PublicSuffixes = {
    let path = "/usr/share/publicsuffix/public_suffix_list.dat"
    guard let bytes = FileManager.default.contents(atPath: path), bytes.count <= 1 << 23 else { return .unavailable }
    return PublicSuffixes(String(decoding: bytes, as: UTF8.self))
  }()
}
