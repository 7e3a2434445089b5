import Endpoint
import TLS
import URLLoading

extension HelloOrigin {
  /// The recording on which the ClientHello is based, and the parts that were left out.
  var narration: String {
    let os = load.os
    if let limitedTo {
      return
        "This ClientHello was recorded as \(offer.hello.recording(for: os)) and is reduced here to \(limitedTo). The "
        + "system's own ClientHello for this case is not recorded."
    }
    var sentences = [
      "This is the ClientHello recorded as \(offer.hello.recording(for: os)), except for values that change in every "
        + "ClientHello."
    ]
    switch offer.basis {
    case .recorded where offer.hello == .ats9 || load.loader.isWebView: break
    case .recorded: sentences.append("Likely: an app on \(os) sends the browser's ClientHello.")
    case .earlier, .later:
      sentences.append("Likely: the ClientHello of \(os) is similar, but no recording of it exists.")
    case .sameGeneration(let other):
      sentences.append(
        "Likely: the ClientHello of \(os) is similar, because \(os) is of the same generation as \(other). No "
          + "ClientHello of \(os) is recorded.")
    }
    if isNarrowed { sentences.append("App Transport Security has removed the parts that it does not allow.") }
    return sentences.joined(separator: " ") + os.confidence(in: .tls13).sentence
  }
}
