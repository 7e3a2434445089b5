import ArgumentParser
import Explanation
import Scenarios
import URLLoading

/// What Xcode would put in the place of `$(NAME)`.
struct BuildSettingOptions: ParsableArguments {
  @Option(
    name: .customLong("define"), parsing: .upToNextOption,
    help: ArgumentHelp("A build setting: API_HOST=api.example; wins over --xcconfig.", valueName: "name=value"))
  var definitions: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Files of build settings; conditions go by SDK (iphoneos, unless defined), CONFIGURATION and ARCH.",
      valueName: "file"))
  var xcconfig: [String] = []

  /// The settings.
  ///
  /// - Throws: `Diagnostics` with the line of a file that cannot be read.
  func settings() throws -> BuildSettings {
    var settings = BuildSettings()
    let defined = try definitions.map { text in
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw Diagnostics("'\(text)' defines nothing", hint: "write --define API_HOST=api.example")
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
          hint: "an xcconfig has lines NAME = VALUE and #include \"FILE\", or #include? where the file may be missing",
          at: SourceMark(file: error.file, line: error.line, column: 1))
      }
    }
    // One that names itself means what the files say.
    for (name, value) in defined where settings.values[name] != value { settings.define(name, value) }
    remark(on: settings)
    for name in settings.endless.prefix(5) {
      Console.complain("warning: the build setting '\(name)' comes to no end: it names itself, or one that does")
    }
    return settings
  }

  /// Which SDK and which configuration conditions in files went by.
  private func remark(on settings: BuildSettings) {
    if !settings.sdks.isEmpty, settings.values["SDK"] == nil, settings.values["SDKROOT"] == nil {
      Console.complain("note: the settings are those of the SDK '\(settings.sdk)'; --define SDK=macosx takes another")
    }
    if settings.configurations.isEmpty, !settings.usesConfiguration { return }
    let names = settings.configurations.map { "'\($0)'" }.joined(separator: ", ")
    let taken = settings.configuration
    let isSaid = settings.values["CONFIGURATION"] != nil
    let other = isSaid ? "" : "; --define CONFIGURATION=NAME takes another"
    if !settings.isNamed, !settings.configurations.isEmpty {
      Console.complain("warning: no condition of the settings names the configuration '\(taken)', but \(names)\(other)")
    } else if !isSaid {
      Console.complain("note: the settings are those of the configuration '\(taken)'\(other)")
    }
  }
}
