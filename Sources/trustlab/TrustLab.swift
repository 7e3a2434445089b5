import ArgumentParser
import Foundation
import Scenarios

/// The program: `trustlab COMMAND`.
struct TrustLab: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trustlab",
    abstract: "See, step through and assert why a TLS connection is trusted or refused.",
    discussion: """
      A scenario is a small YAML file: a CA hierarchy, a server, an app and what must come out. Nothing here depends \
      on the network or the clock: the same file gives the same bytes everywhere.

      Examples:
        trustlab run L1-15                       # play one scenario and explain it
        trustlab run L1-01 --depth fields        # with every byte explained
        trustlab test L2                         # check the expectations of a lesson
        trustlab repl L1-01                      # step through it, back and forth
        trustlab describe L1-15                  # the same in prose
        trustlab verify chain.pem --roots root.pem --at 2026-12-01   # a real chain
        trustlab pki export L1-15 --output pki   # certificates and keys as files
        trustlab explain ats.no-forward-secrecy  # explain a rule, code or term
        trustlab search wildcard                 # find scenarios, rules, codes, terms

      Exit status: 0 as expected, 1 not, 2 usage or unreadable input, 3 internal error.
      """,
    version: "trustlab 1",
    subcommands: [
      Run.self, Test.self, Repl.self, Replay.self, List.self, Explain.self, Search.self, New.self, Check.self,
      Format.self, FixCheckCommand.self,
      Describe.self,
      Verify.self, Limbo.self, PKI.self, Ats.self, Matrix.self, Serve.self, Connect.self, Clients.self,
      LessonCommand.self,
      GradeCommand.self,
      Manual.self,
    ])

  func run() throws {
    Console.out(
      """
      TrustLab plays TLS connections and says why they are trusted or refused.

      Three ways to begin:
        trustlab run L1-15      RSA key exchange under App Transport Security
        trustlab repl L1-01     step through the handshake and its three randoms
        trustlab test           check the whole curriculum

      New to TLS? The first lesson:
        trustlab repl L0        predict, step, and see whether you were right

      'trustlab list lessons' prints the others; 'trustlab --help' all commands.
      """)
  }
}

@main
enum Main {
  /// Output that got lost is never a success.
  private static func finished(with status: Int32) -> Int32 {
    guard Console.hasLostOutput else { return status }
    Console.complain("error: standard output could not be written\nhint: is the disk full?")
    return 2
  }

  /// Parses and runs; whatever is thrown becomes a message and an exit status of the contract.
  static func main() {
    do {
      let words = Failure.arranged(Array(CommandLine.arguments.dropFirst()))
      try Failure.checkCommand(words)
      var command = try TrustLab.parseAsRoot(words)
      try command.run()
    } catch {
      Foundation.exit(finished(with: Failure.report(error)))
    }
    Foundation.exit(finished(with: 0))
  }
}
