// Many runs at once.
extension ShellCommand {
  static let many: [ShellCommand] = [
    .init(
      "matrix os NAME, …", .many, "the verdict on each system", examples: ["matrix os", "matrix os iOS 8, iOS 9"],
      completing: .system
    ) { session, argument in try session.matrix(argument) },
    .init(
      "sweep PATH VALUES", .many, "the verdict for each value",
      examples: ["sweep client.os iOS 8, iOS 9", "sweep seed 1..5"], completing: .path
    ) { session, argument in try session.sweep(argument) },
    .init(
      "minimal [OS, …]", .many, "the smallest exception in the app's property list that lets it load",
      examples: ["minimal", "minimal iOS 9, iOS 18.4"], completing: .system
    ) { session, argument in try session.minimal(argument) },
  ]
}
