// What if the scenario were another.
extension ShellCommand {
  static let changing: [ShellCommand] = []
}
