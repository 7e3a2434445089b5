import ArgumentParser

/// How long real servers are waited for.
struct PatienceOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: "For how many seconds a real server may be silent; for all that it says it has six times as long.")
  var patience: Int64 = 10

  func validate() throws {
    guard (1...3600).contains(patience) else { throw ValidationError("--patience takes 1 to 3600 seconds") }
  }
}
