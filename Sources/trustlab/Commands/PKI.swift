import ArgumentParser
import Rendering
import Scenarios

/// The `trustlab pki` command.
struct PKI: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pki",
    abstract: "Export the certificates of scenarios.",
    discussion: """
      Example:
        trustlab pki export L1-15 --output certificates
      """,
    subcommands: [PKIExportCommand.self])
}

/// The `trustlab pki export` command.
struct PKIExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a scenario's certificates and keys as PEM, DER and PKCS #12 files.",
    discussion: """
      TrustLab writes NAME.pem, NAME.der, NAME.key.pem and NAME.p12 for every certificate. NAME.chain.pem contains the \
      chain that a server sends. The trust anchors are in roots.pem, user-roots.pem and installed-not-trusted.pem. \
      NAME.p12 also contains the other certificates that a server or client sends. Only you can read the keys; the \
      passphrase of the .p12 files is 'trustlab'. TrustLab replaces the files of an earlier export.

      Examples:
        trustlab pki export L1-15 --output certificates
        trustlab pki export L4-04 --case "in its last second" --output pki
        trustlab pki export my.yaml --output pki --now
      """)

  @Argument(help: "A scenario file, or the id of a curriculum scenario.")
  var scenario: String

  @Option(
    name: .customLong("case"), help: "The case to export; 'main' is the scenario itself, without the changes of a case."
  )
  var caseName: String?

  @Option(help: ArgumentHelp("The folder to write to. TrustLab creates it if necessary.", valueName: "folder"))
  var output: String

  @Flag(help: "Shift every date so that the scenario's clock shows the current time, for use with real clients.")
  var now = false

  @Option(help: "The format of the list of files: text or json.")
  var format = OutputFormat.text

  @OptionGroup var styling: StyleOptions

  func run() throws {
    let workbench = Workbench()
    let file = try workbench.file(for: scenario)
    let played = try workbench.scenario(caseName, in: file)
    let export: PKIExport
    do throws(Diagnostics) {
      export = try workbench.player.export(of: played, now: now ? Clock.now : nil)
    } catch {
      throw file.showing(error)
    }
    let folder = try OutputFolder(output)
    for file in export.files { try folder.write(file.bytes, to: file.name, isSecret: file.isSecret) }
    let view = PKIExportView(export, in: output)
    Console.out(format == .json ? view.json().text(pretty: true) : view.document().text(styling.style))
  }
}
