import Endpoint
import PKIX

// The derivation of the private key from a server's response to a registration.
extension Application {
  /// Extracts the file from the JSON object of a response (RFC 8259, RFC 4648 section 4).
  func contentDecoding() throws(Obstacle) -> Computation {
    guard let file = IssuedIdentity.file(inResponse: try input(0)) else {
      throw .failed("the response contains no certificate in Base64")
    }
    return Computation(file)
  }

  /// Extracts the private key from a PKCS #12 file with its passphrase (RFC 7292 section 4). No other passphrase is
  /// tried.
  func identityFileOpening() throws(Obstacle) -> Computation {
    let (bytes, passphrase) = (try input(0), String(decoding: try input(1), as: UTF8.self))
    do throws(PKCS12Error) {
      guard let key = try PKCS12.Archive(bytes).open(.init(passphrase)).keys.first else {
        throw PKCS12Error.undecipherable
      }
      return Computation(key.information)
    } catch {
      throw .failed(error.description)
    }
  }
}
