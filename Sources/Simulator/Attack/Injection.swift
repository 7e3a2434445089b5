import Endpoint
import Explanation
import TLS

/// Something an attacker makes up and sends in another's name.
public enum Injection: Sendable, Hashable {
  /// A plain HTTP response with this body.
  case response(String)
  /// A record of application data with this content, protected by nothing: the attacker has no keys.
  case applicationData(String)
  /// An alert, protected by nothing.
  case alert(AlertDescription)

  /// The name of what is sent.
  public var name: String {
    switch self {
    case .response: "HTTP response"
    case .applicationData: "ApplicationData"
    case .alert: "Alert"
    }
  }

  var transmission: Transmission {
    switch self {
    case .response(let body):
      let bytes = HTTP.response(body: body)
      return Transmission(name: name, bytes: bytes, fields: HTTP.fields(of: bytes))
    case .applicationData(let text): return record(.applicationData, Array(text.utf8))
    case .alert(let description):
      return record(.alert, [Alert.Level.fatal.rawValue, description.rawValue])
    }
  }

  private func record(_ type: ContentType, _ content: [UInt8]) -> Transmission {
    let record = Record(type: type, version: .tls12, fragment: content)
    return Transmission(name: name, bytes: record.bytes, fields: [record.field])
  }
}
