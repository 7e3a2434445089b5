import ArgumentParser

/// `trustlab ats`
struct Ats: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ask what App Transport Security makes of an app's property list.",
    discussion: """
      Example:
        trustlab ats decide --plist Info.plist --url http://api.example/
      """,
    subcommands: [AtsDecide.self])
}
