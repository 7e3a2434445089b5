import ArgumentParser
import Rendering
import Scenarios

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

/// `trustlab pki export`
struct PKIExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a scenario's certificates and keys as PEM, DER and PKCS #12 files.",
    discussion: """
      NAME.pem, NAME.der, NAME.key.pem and NAME.p12 for every certificate, NAME.chain.pem as a server presents it, and \
      the anchors in roots.pem, user-roots.pem and installed-not-trusted.pem. NAME.p12 also holds what a server or a \
      client shows beside the certificate. Keys are readable by you alone; the passphrase of the .p12 files is \
      'trustlab'. Files of an earlier export are replaced.

      Examples:
        trustlab pki export L1-15 --output certificates
        trustlab pki export L4-04 --case "in its last second" --output pki
        trustlab pki export my.yaml --output pki --now
      """)

  @Argument(help: "A file, or the id of a scenario of the curriculum.")
  var scenario: String

  @Option(name: .customLong("case"), help: "The case to export; the file alone is 'main'.")
  var caseName: String?

  @Option(help: ArgumentHelp("The folder to write to; it is made when it is missing.", valueName: "folder"))
  var output: String

  @Flag(help: "Shift every date by now - clock, so that real clients accept what the scenario accepts.")
  var now = false

  @Option(help: "How the list of files is written: text or json.")
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
