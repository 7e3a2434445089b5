import Explanation

/// Preparation for the next certificate, RFC 5280 section 6.1.4, and wrap-up, section 6.1.5.
extension PathValidation {
  mutating func prepareForNext(_ certificate: Certificate, _ index: Int) {
    mapPolicies(certificate, index)  // (a), (b)
    state.workingIssuerName = certificate.subject  // (c)
    state.workingPublicKey = certificate.publicKey  // (d), (e), (f)
    narrowNames(certificate, index)  // (g)
    if !certificate.isSelfIssued { countDown() }  // (h)
    constrainPolicies(certificate)  // (i), (j)
    if isProxy(index - 1) {
      prepareForProxy(certificate, index)
    } else {
      checkAuthority(certificate, index)  // (k)
      limitPathLength(certificate, index)  // (l), (m)
      checkKeyUsage(certificate, index)  // (n)
    }
    checkCriticalExtensions(certificate, index)  // (o)
  }

  mutating func wrapUp(_ certificate: Certificate, _ index: Int) {
    state.workingPublicKey = certificate.publicKey  // (c), (d), (e)
    checkCriticalExtensions(certificate, index)  // (f)
    wrapUpPolicies(certificate, index)  // (a), (b), (g)
  }

  private mutating func checkAuthority(_ certificate: Certificate, _ index: Int) {
    let constraints = certificate.basicConstraints
    check(
      .notAuthority, index, constraints?.isAuthority == true, required: .word("CA"),
      found: constraints.map { .word($0.meaning) } ?? .absent)
  }

  private mutating func limitPathLength(_ certificate: Certificate, _ index: Int) {
    if certificate.isSelfIssued {
      note(.pathLength, index, .notApplicable)
    } else {
      let left = state.maxPathLength
      let (allowed, below) = left > 0 ? (.none, .none) : (allowedBelow, foundBelow)
      check(.pathLength, index, left > 0, required: allowed, found: below)
      state.maxPathLength = max(0, left - 1)
    }
    narrowLength(certificate, index)
  }

  /// What the pathLenConstraint of the authority at `index` leaves.
  mutating func narrowLength(_ certificate: Certificate, _ index: Int) {
    guard let length = certificate.basicConstraints?.pathLength, length < state.maxPathLength else { return }
    state.maxPathLength = length
    shortest = index
  }

  private var allowedBelow: Detail {
    guard let shortest, let length = path.certificates[shortest].basicConstraints?.pathLength else { return .none }
    return .word("\(PathValidation.intermediates(length)) below \(name(shortest)): its pathLenConstraint is \(length)")
  }

  private var foundBelow: Detail {
    guard let shortest else { return .none }
    let below = (1..<max(1, shortest)).filter { !path.certificates[$0].isSelfIssued }
    return .word(
      "\(PathValidation.intermediates(below.count)): \(below.reversed().prefix(4).map(name).joined(separator: ", "))")
  }

  private func name(_ index: Int) -> String {
    if case .certificate(_, let name) = subjects[index] { name } else { subjects[index].description }
  }

  private static func intermediates(_ count: Int) -> String {
    count == 0 ? "no intermediate" : count == 1 ? "1 intermediate" : "\(count) intermediates"
  }

  private mutating func checkKeyUsage(_ certificate: Certificate, _ index: Int) {
    guard let usage = certificate.keyUsage else { return note(.keyUsage, index, .notApplicable) }
    check(.keyUsage, index, usage.contains(.keyCertSign), required: .word("keyCertSign"), found: .words(usage.words))
  }

  mutating func checkCriticalExtensions(_ certificate: Certificate, _ index: Int) {
    let unknown = certificate.extensions.filter {
      $0.critical && !certificate.processes($0) && !(isProxy(index) && $0.oid == ProxyCertificateInformation.oid)
    }
    check(.unhandledCriticalExtension, index, unknown.isEmpty, found: .words(unknown.map(\.oid.name)))
  }
}

extension Certificate {
  /// Whether an extension is processed in full: certificatePolicies only where all qualifiers are known (RFC 5280 section
  /// 4.2.1.4).
  fileprivate func processes(_ item: Extension) -> Bool {
    guard ExtensionReadings.processed.contains(item.oid) else { return false }
    return item.oid != .certificatePolicies || readings.certificatePolicies?.hasUnknownQualifier != true
  }
}
