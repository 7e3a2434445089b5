/// The manual of a program, generated from its help: a page in man(7) macros, and a page in Markdown.
public struct ManualPage: Sendable {
  /// A command in the format of ArgumentParser's help dump.
  private struct Command {
    let words: [String]
    let dump: JSONValue

    var abstract: String { dump["abstract"]?.text ?? "" }
    var discussion: String { dump["discussion"]?.text ?? "" }
    var isShown: Bool { dump["shouldDisplay"] != false && words.last != "help" }
    var arguments: [JSONValue] { (dump["arguments"]?.items ?? []).filter { $0["shouldDisplay"] != false } }

    var commands: [Command] {
      (dump["subcommands"]?.items ?? []).map { Command(words: words + [$0["commandName"]?.text ?? ""], dump: $0) }
        .filter(\.isShown)
    }
  }

  private let root: Command
  private let version: String

  /// Creates the manual of a program from its `--experimental-dump-help` output; nil if `dump` is not such output.
  public init?(help dump: String, version: String) {
    guard let command = (try? JSONValue(reading: Array(dump.utf8)))?["command"],
      let name = command["commandName"]?.text
    else { return nil }
    root = Command(words: [name], dump: command)
    self.version = version
  }

  /// The page in man(7) macros.
  public var text: String {
    let name = root.words[0]
    var lines = [
      ".TH \(Self.escaped(name).uppercased()) 1 \"\" \"\(Self.escaped(version))\" \"User Commands\"", ".nh", ".ad l",
      ".SH NAME", "\(Self.escaped(name)) \\- \(Self.escaped(root.abstract))", ".SH SYNOPSIS",
      ".B \(Self.escaped(name))", ".I command", "[...]", ".SH DESCRIPTION",
    ]
    lines += Self.paragraphs(root.discussion)
    lines.append(".SH COMMANDS")
    for command in root.commands { lines += section(command) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The manual in Markdown, for the command reference in the documentation.
  public var markdown: String {
    var lines = [
      "# Command reference", "",
      "`\(root.words[0]) COMMAND --help` prints each section below; `\(root.words[0]) manual --markdown` prints this page.",
    ]
    for command in root.commands { lines += Self.markdown(command) }
    return ReferencePages.marked(lines.joined(separator: "\n") + "\n")
  }

  private static func markdown(_ command: Command) -> [String] {
    let shown = command.arguments.filter { !isEverywhere($0) }
    let options = shown.map { argument -> String in
      let text = Markdown.text(RichText(words(argument).replacing("\n", with: " ")))
      return "- `\(plainHead(argument))`" + (text.isEmpty ? "" : ": \(text)")
    }
    return ["", "## \(command.words.joined(separator: " "))", "", Markdown.text(RichText(command.abstract))]
      + (options.isEmpty ? [] : [""] + options) + [""] + markdown(command.discussion)
      + command.commands.flatMap(markdown)
  }

  /// Returns the text of a help. Examples keep their lines and are indented by four spaces, which makes them code.
  private static func markdown(_ discussion: String) -> [String] {
    discussion.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line -> [String] in
      if line.hasPrefix("  ") { return ["  \(line)"] }
      let text = Markdown.text(RichText(String(line)))
      return line.hasSuffix("xamples:") || line.hasSuffix("xample:") ? [text, ""] : [text]
    }
  }

  private static func plainHead(_ argument: JSONValue) -> String {
    let value = "<\(argument["valueName"]?.text ?? "")>"
    if argument["kind"]?.text == "positional" { return value + (argument["isRepeating"] == true ? " …" : "") }
    let names = (argument["names"]?.items ?? []).map { name in
      (name["kind"]?.text == "short" ? "-" : "--") + (name["name"]?.text ?? "")
    }
    return names.joined(separator: ", ") + (argument["kind"]?.text == "option" ? " \(value)" : "")
  }

  /// Returns a command with its arguments, followed by its subcommands.
  private func section(_ command: Command) -> [String] {
    var lines = [".SS \"\(Self.escaped(command.words.joined(separator: " ")))\"", Self.line(command.abstract)]
    lines += Self.paragraphs(command.discussion)
    for argument in command.arguments where !Self.isEverywhere(argument) {
      lines += [".TP", Self.head(argument), Self.line(Self.words(argument))]
    }
    return lines + command.commands.flatMap(section)
  }

  /// Returns whether every command has this option, as it has help and version.
  private static func isEverywhere(_ argument: JSONValue) -> Bool {
    ["help", "version"].contains(argument["preferredName"]?["name"]?.text)
  }

  private static func head(_ argument: JSONValue) -> String {
    let value = "\\fI\(escaped(argument["valueName"]?.text ?? ""))\\fR"
    if argument["kind"]?.text == "positional" { return value + (argument["isRepeating"] == true ? " ..." : "") }
    let names = (argument["names"]?.items ?? []).map { name in
      let text = name["name"]?.text ?? ""
      return "\\fB" + escaped((name["kind"]?.text == "short" ? "-" : "--") + text) + "\\fR"
    }
    return names.joined(separator: ", ") + (argument["kind"]?.text == "option" ? " \(value)" : "")
  }

  private static func words(_ argument: JSONValue) -> String {
    let isOption = argument["kind"]?.text == "option"
    let usual = isOption ? argument["defaultValue"]?.text.map { " The default is \($0)." } : nil
    return (argument["abstract"]?.text ?? "") + (usual ?? "")
  }

  /// Returns the paragraphs of the help. Indented lines are unchanged.
  private static func paragraphs(_ text: String) -> [String] {
    var lines: [String] = []
    var isExample = false
    for written in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if written.hasPrefix("  ") != isExample, !written.isEmpty {
        isExample.toggle()
        lines.append(isExample ? ".nf" : ".fi")
      }
      lines.append(written.isEmpty ? ".PP" : isExample ? "\\&" + escaped(String(written)) : line(String(written)))
    }
    return (text.isEmpty ? [] : [".PP"]) + lines + (isExample ? [".fi"] : [])
  }

  /// Returns a line of text. A period or an apostrophe at its beginning would be a man(7) request.
  private static func line(_ text: String) -> String {
    let text = escaped(text.replacing("\n", with: " "))
    return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("…", with: "...")
      .replacing("'", with: "\\(aq").replacing("\"", with: "\\(dq")
  }
}

extension JSONValue {
  fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
  fileprivate var items: [JSONValue]? { if case .array(let items) = self { items } else { nil } }
}
