import Cryptography
import Explanation
import PKIX

/// The JDK's `keytool` command that creates a self-signed certificate like this one. It requires an RSA key and a
/// validity of whole days.
struct KeytoolRecipe {
  let command: ShellCommand

  init?(_ entry: IssuingRecipe.Entry) {
    let certificate = entry.certificate
    let (seconds, overflow) = certificate.notAfter.secondsSince1970
      .subtractingReportingOverflow(certificate.notBefore.secondsSince1970)
    guard case .rsa(let key) = certificate.publicKey, certificate.version == 3, !overflow, seconds > 0,
      seconds % 86_400 == 0, let name = certificate.subject.keytoolText, let algorithm = Self.algorithm(certificate),
      let start = Self.date(certificate.notBefore), let extensions = Self.extensions(certificate)
    else { return nil }
    command = ShellCommand(
      [
        "keytool -J-Duser.timezone=UTC -genkey", " -alias \(entry.file)", " -keyalg RSA", " -keysize \(key.bits)",
        " -sigalg \(algorithm)", " -dname \(quoted(name))", " -startdate \(quoted(start))",
        " -validity \(seconds / 86_400)",
      ] + extensions.map { " -ext \(quoted($0))" } + [
        " -storetype PKCS12", " -keystore \(entry.file).p12", " -storepass trustlab",
      ])
  }

  private static func algorithm(_ certificate: Certificate) -> String? {
    guard let scheme = certificate.signatureScheme, let hash = scheme.hash, scheme.padding == .pkcs1v15 else {
      return nil
    }
    return hash.rawValue.uppercased() + "withRSA"
  }

  /// Returns the date in keytool's notation: `2016/10/02 00:00:00`.
  private static func date(_ instant: Instant) -> String? {
    guard instant.compactText != nil else { return nil }
    return instant.description.replacing("-", with: "/").replacing("T", with: " ").replacing("Z", with: "")
  }

  /// Returns the extensions in keytool's notation, or as bytes if it has no name for one. The program adds key
  /// identifiers itself.
  private static func extensions(_ certificate: Certificate) -> [String]? {
    var words: [String] = []
    for item in certificate.extensions
    where item.oid != SubjectKeyIdentifier.oid && item.oid != AuthorityKeyIdentifier.oid {
      let critical = item.critical ? ":critical" : ""
      switch item.oid {
      case BasicConstraints.oid:
        guard let value = certificate.basicConstraints else { return nil }
        let length = value.pathLength.map { ",pathlen:\($0)" } ?? ""
        words.append("bc\(critical)=ca:\(value.isCA)\(length)")
      case KeyUsage.oid:
        guard let value = certificate.keyUsage else { return nil }
        words.append("ku\(critical)=\(value.words.joined(separator: ","))")
      case ExtendedKeyUsage.oid:
        guard let value = certificate.extendedKeyUsage else { return nil }
        words.append("eku\(critical)=\(value.purposes.map(\.description).joined(separator: ","))")
      default: words.append("\(item.oid)\(critical)=\(Hex.string(item.value))")
      }
    }
    return words
  }
}

extension DistinguishedName {
  /// The name in keytool's order, most specific attribute first; nil if an attribute is not text. For example:
  /// `CN=api.example, O=Company`.
  var keytoolText: String? {
    var parts: [String] = []
    for attributes in relativeNames.reversed() {
      guard attributes.count == 1, let attribute = attributes.first, attribute.text != nil else { return nil }
      parts.append(attribute.description)
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
