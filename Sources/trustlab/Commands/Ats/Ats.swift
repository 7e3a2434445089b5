import ArgumentParser

/// `trustlab ats`
struct Ats: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ask what App Transport Security makes of an app's property list.",
    discussion: """
      Examples:
        trustlab ats decide --plist Info.plist --url http://api.example/
        trustlab ats lint Info.plist
      """,
    subcommands: [AtsDecide.self, AtsLint.self])
}
