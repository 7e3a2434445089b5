import Explanation
import Scenarios

/// A report in JUnit XML, by the schemas of Jenkins and Surefire, in which checks take no time.
struct JUnitReport {
  /// A check in a suite.
  struct Case {
    /// The result of a check.
    enum Ending {
      case passed(said: String)
      case failed(message: String, type: String, text: String)
      case unreadable(message: String, text: String)
    }

    let name: String
    let ending: Ending
  }

  /// A group of checks.
  struct Suite {
    let name: String
    let cases: [Case]
  }

  let suites: [Suite]

  var document: String {
    let attributes = Self.attributes(suites, name: "trustlab").filter { $0.name != "skipped" }
    return XMLElement("testsuites", attributes, children: suites.map(Self.element)).document
  }

  private static func attributes(_ suites: [Suite], name: String) -> [XMLElement.Attribute] {
    let cases = suites.flatMap(\.cases)
    let failures = cases.count { if case .failed = $0.ending { true } else { false } }
    let errors = cases.count { if case .unreadable = $0.ending { true } else { false } }
    return [
      .init("name", name), .init("tests", "\(cases.count)"), .init("failures", "\(failures)"),
      .init("errors", "\(errors)"), .init("skipped", "0"), .init("time", "0"),
    ]
  }

  private static func element(_ suite: Suite) -> XMLElement {
    XMLElement(
      "testsuite", attributes([suite], name: suite.name),
      children: suite.cases.map { check in
        XMLElement(
          "testcase", [.init("name", check.name), .init("classname", suite.name), .init("time", "0")],
          children: details(check.ending))
      })
  }

  private static func details(_ ending: Case.Ending) -> [XMLElement] {
    switch ending {
    case .passed(let said): said.isEmpty ? [] : [XMLElement("system-out", [], text: said)]
    case .failed(let message, let type, let text):
      [XMLElement("failure", [.init("message", message), .init("type", type)], text: text)]
    case .unreadable(let message, let text):
      [XMLElement("error", [.init("message", message), .init("type", "unreadable")], text: text)]
    }
  }
}

extension RemarkReport {
  /// All remarks as JUnit XML, with a suite for each property list and a check for each remark.
  ///
  /// A check fails if its remark makes the build fail. A property list without remarks has one check, which passes.
  public var junit: String {
    JUnitReport(
      suites: files.map { file in
        var cases = file.remarks.map { remark in
          let place = remark.spot.place.map { "\(file.path):\($0): " } ?? "\(file.path): "
          let name = [remark.rule.id, remark.spot.keyPath].filter { !$0.isEmpty }.joined(separator: " ")
          return JUnitReport.Case(
            name: name,
            ending: remark.isFailing
              ? .failed(message: remark.message, type: remark.rule.id, text: place + remark.text)
              : .passed(said: "\(place)\(remark.severity.rawValue): \(remark.text)"))
        }
        if let obstacle = file.obstacle {
          let message = obstacle.all.first?.message ?? "cannot be read"
          cases = [.init(name: "can be read", ending: .unreadable(message: message, text: obstacle.description))]
        } else if cases.isEmpty {
          cases = [.init(name: "no remarks", ending: .passed(said: ""))]
        }
        return JUnitReport.Suite(name: file.path, cases: cases)
      }
    ).document
  }
}
