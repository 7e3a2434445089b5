import Endpoint
import TLS
import URLLoading

extension HelloOrigin {
  /// The recording that the hello comes from, and what it leaves out.
  var narration: String {
    let os = load.os
    if let limitedTo {
      return "Of the hello on record as \(offer.hello.recording(for: os)) it keeps what \(limitedTo) has; "
        + "how the system writes it is not on record."
    }
    var sentences = [
      "It is the hello on record as \(offer.hello.recording(for: os)), but for what is new in every hello."
    ]
    switch offer.basis {
    case .recorded where offer.hello == .ats9 || load.loader.isWebView: break
    case .recorded: sentences.append("Likely: that an app of \(os) sends the browser's.")
    case .earlier, .later: sentences.append("Likely: that it stands for \(os), of which none is on record.")
    case .sameGeneration(let other):
      sentences.append("Likely: that it stands for \(os), of the generation of \(other), of which none is on record.")
    }
    if isNarrowed { sentences.append("App Transport Security has taken out of it what it does not allow.") }
    if offer.leavesOutTLS13 { sentences.append("It goes without TLS 1.3, which is not played yet.") }
    return sentences.joined(separator: " ")
  }
}
