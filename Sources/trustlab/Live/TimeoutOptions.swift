import ArgumentParser

/// How long real servers are waited for.
struct TimeoutOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: "For how many seconds a real server may be silent; for all that it says it has six times as long.")
  var timeout: Int64 = 10

  func validate() throws {
    guard (1...3600).contains(timeout) else { throw ValidationError("--timeout takes 1 to 3600 seconds") }
  }
}
