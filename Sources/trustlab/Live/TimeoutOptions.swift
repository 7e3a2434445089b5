import ArgumentParser

/// The option for the timeout of real servers.
struct TimeoutOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: "The maximum time without data from the server, in seconds. In total, the server may take six times as long.")
  var timeout: Int64 = 10

  func validate() throws {
    guard (1...3600).contains(timeout) else {
      throw ValidationError("--timeout requires a number from 1 to 3600 seconds")
    }
  }
}
