import ArgumentParser

/// `trustlab pki`
struct PKI: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pki",
    abstract: "Work with the certificates of scenarios.",
    discussion: """
      Example:
        trustlab pki export L1-15 --output certificates
      """,
    subcommands: [PKIExportCommand.self])
}
