import Foundation

/// Where typed lines are kept between sessions.
struct HistoryFile {
  let path: String

  /// The file that the environment names: `TRUSTLAB_HISTORY` (`off` for none), else one in the folder for such state
  /// (XDG Base Directory Specification). Nil where there is no place for one.
  init?(_ environment: [String: String]) {
    if let named = environment["TRUSTLAB_HISTORY"] {
      guard named != "off", !named.isEmpty else { return nil }
      path = named
    } else if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
      path = "\(state)/trustlab/history"
    } else if let home = environment["HOME"], home.hasPrefix("/"), home != "/" {
      path = "\(home)/.local/state/trustlab/history"
    } else {
      return nil
    }
  }

  /// Makes the folder that the file lies in; whoever may not write there has no history.
  func prepare() {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }
}
