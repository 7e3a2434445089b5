import ArgumentParser
import Explanation
import Scenarios
import URLLoading

/// The options for the build settings that provide the values of `$(NAME)` in a property list.
struct BuildSettingOptions: ParsableArguments {
  @Option(
    name: .customLong("define"), parsing: .upToNextOption,
    help: ArgumentHelp(
      "A build setting, such as API_HOST=api.example. It overrides --xcconfig.", valueName: "name=value"))
  var definitions: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "The build settings files. Their conditions depend on SDK (default: iphoneos), CONFIGURATION and ARCH.",
      valueName: "file"))
  var xcconfig: [String] = []

  /// Returns the build settings.
  ///
  /// - Throws: `Diagnostics` with the line in a file that cannot be read.
  func settings() throws -> BuildSettings {
    var settings = BuildSettings()
    let defined = try definitions.map { text in
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw Diagnostics(
          "'\(text)' is not a definition of a build setting", hint: "write --define API_HOST=api.example")
      }
      return (parts[0], parts[1])
    }
    for (name, value) in defined where BuildSettings.conditional.contains(name) { settings.define(name, value) }
    for file in xcconfig {
      do throws(BuildSettings.Fault) {
        try settings.read(file) { path in (try? AppSettings.bytes(path)).map { String(decoding: $0, as: UTF8.self) } }
      } catch {
        throw Diagnostics(
          error.message,
          hint: "write NAME = VALUE, #include \"FILE\", or #include? for a file that may be missing",
          at: SourceMark(file: error.file, line: error.line, column: 1))
      }
    }
    // A definition that refers to itself extends the value in the files.
    for (name, value) in defined where settings.values[name] != value { settings.define(name, value) }
    remark(on: settings)
    for name in settings.endless.prefix(5) {
      Console.complain(
        "warning: the build setting '\(name)' is recursive: it refers to itself, or to a setting that does")
    }
    return settings
  }

  /// Prints the SDK and the configuration that are used to evaluate conditions in the files.
  private func remark(on settings: BuildSettings) {
    if !settings.sdks.isEmpty, settings.values["SDK"] == nil, settings.values["SDKROOT"] == nil {
      Console.complain(
        "note: using the settings for the SDK '\(settings.sdk)'; --define SDK=macosx selects another SDK")
    }
    if settings.configurations.isEmpty, !settings.usesConfiguration { return }
    let names = settings.configurations.map { "'\($0)'" }.joined(separator: ", ")
    let taken = settings.configuration
    let isSaid = settings.values["CONFIGURATION"] != nil
    let other = isSaid ? "" : "; --define CONFIGURATION=NAME selects another configuration"
    if !settings.isNamed, !settings.configurations.isEmpty {
      Console.complain("warning: the conditions mention \(names), but not the configuration '\(taken)'\(other)")
    } else if !isSaid {
      Console.complain("note: using the settings for the configuration '\(taken)'\(other)")
    }
  }
}
