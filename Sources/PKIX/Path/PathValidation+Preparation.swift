import Explanation

/// The preparation for the next certificate (RFC 5280 section 6.1.4) and the wrap-up (section 6.1.5).
extension PathValidation {
  mutating func prepareForNext(_ certificate: Certificate, _ index: Int) {
    mapPolicies(certificate, index)  // (a), (b)
    state.workingIssuerName = certificate.subject  // (c)
    state.workingPublicKey = certificate.publicKey.inheritingParameters(of: state.workingPublicKey)  // (d), (e), (f)
    narrowNames(certificate, index)  // (g)
    if !certificate.isSelfIssued { decrementPolicyCounters() }  // (h)
    constrainPolicies(certificate)  // (i), (j)
    if isProxy(index - 1) {
      prepareForProxy(certificate, index)
    } else {
      checkCA(certificate, index)  // (k)
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

  /// Section 6.1.4 (a), (b).
  mutating func mapPolicies(_ certificate: Certificate, _ index: Int) {
    guard let mappings = certificate.policyMappings?.mappings else {
      note(.policyMapping, index, .notApplicable)
      return state.policyGraph.map([], isAllowed: true)
    }
    let mapsAny = mappings.contains { $0.issuerDomainPolicy == .anyPolicy || $0.subjectDomainPolicy == .anyPolicy }
    check(.policyMapping, index, !mapsAny, found: mapsAny ? .word(OID.anyPolicy.name) : .none)
    state.policyGraph.map(mappings, isAllowed: state.policyMapping > 0)
  }

  /// Applies name constraints (section 6.1.4 (g)). An extension that cannot be decoded violates `chain.malformed`.
  mutating func narrowNames(_ certificate: Certificate, _ index: Int) {
    guard let constraints = certificate.nameConstraints else {
      return note(.nameConstraints, index, certificate.first(.nameConstraints) == nil ? .notApplicable : .notEvaluated)
    }
    state.nameSpace.intersect(with: constraints)
    check(.nameConstraints, index, true)
  }

  /// Section 6.1.4 (h).
  mutating func decrementPolicyCounters() {
    state.explicitPolicy = max(0, state.explicitPolicy - 1)
    state.policyMapping = max(0, state.policyMapping - 1)
    state.inhibitAnyPolicy = max(0, state.inhibitAnyPolicy - 1)
  }

  /// Section 6.1.4 (i), (j).
  mutating func constrainPolicies(_ certificate: Certificate) {
    let constraints = certificate.policyConstraints
    if let count = constraints?.requireExplicitPolicy { state.explicitPolicy = min(state.explicitPolicy, count) }
    if let count = constraints?.inhibitPolicyMapping { state.policyMapping = min(state.policyMapping, count) }
    if let count = certificate.inhibitAnyPolicy?.skipCertificates {
      state.inhibitAnyPolicy = min(state.inhibitAnyPolicy, count)
    }
  }

  /// Section 6.1.5 (a), (b), (g).
  mutating func wrapUpPolicies(_ certificate: Certificate, _ index: Int) {
    state.explicitPolicy = max(0, state.explicitPolicy - 1)
    if certificate.policyConstraints?.requireExplicitPolicy == 0 { state.explicitPolicy = 0 }
    guard state.explicitPolicy == 0 else { return note(.certificatePolicy, index, .notApplicable) }
    let (own, wanted) = (state.policyGraph.authoritiesConstrainedPolicies, inputs.initialPolicies)
    check(
      .certificatePolicy, index, !userConstrainedPolicies.isEmpty, required: .anyOf(wanted.map(\.name).sorted()),
      found: .words(own.map(\.name).sorted()))
  }

  /// The policies accepted by the user for which the path is valid: the user-constrained-policy-set (section 6.1.6).
  public var userConstrainedPolicies: Set<OID> { state.policyGraph.userConstrainedPolicies(inputs.initialPolicies) }

  private mutating func checkCA(_ certificate: Certificate, _ index: Int) {
    guard !certificate.hasUndecodable(.basicConstraints) else {
      return note(.notCA, index, .notEvaluated)  // `chain.malformed` says why
    }
    let constraints = certificate.basicConstraints
    let isCA = constraints?.isCA == true
    check(
      .notCA, index, isCA, decided: isCA ? nil : isCAWaived(index), required: .word("CA"),
      found: constraints.map { .word($0.meaning) } ?? .absent)
  }

  /// Returns whether a faulty decision does not require a CA certificate at this index.
  private func isCAWaived(_ index: Int) -> Bool? {
    guard let requiresCA = decisions.requiresCA else { return nil }
    let question = PathDecisions.CARequirement(
      index: index, path: path, search: search, isStrict: inputs.isStrict, purpose: inputs.purpose)
    return requiresCA(question) ? nil : true
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

  /// Applies the pathLenConstraint of the CA at `index`.
  mutating func narrowLength(_ certificate: Certificate, _ index: Int) {
    guard let constraint = certificate.basicConstraints?.pathLength else { return }
    let length = decisions.intermediatesAllowed?(constraint) ?? constraint
    guard length < state.maxPathLength else { return }
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
    guard let usage = certificate.keyUsage else {
      return note(.keyUsage, index, certificate.hasUndecodable(.keyUsage) ? .notEvaluated : .notApplicable)
    }
    check(.keyUsage, index, usage.contains(.keyCertSign), required: .word("keyCertSign"), found: .words(usage.words))
  }

  mutating func checkCriticalExtensions(_ certificate: Certificate, _ index: Int) {
    let unknown = certificate.extensions.filter {
      $0.critical && !certificate.processes($0) && !(isProxy(index) && $0.oid == ProxyCertificateInformation.oid)
        && !(inputs.skipsAppleExtensions && $0.oid.isOfApple)
    }
    check(.unhandledCriticalExtension, index, unknown.isEmpty, found: .words(unknown.map(\.oid.name)))
  }
}

extension Certificate {
  /// Returns whether an extension is fully supported. For certificatePolicies, all qualifiers must be known (RFC 5280
  /// section 4.2.1.4).
  fileprivate func processes(_ item: Extension) -> Bool {
    guard DecodedExtensions.processed.contains(item.oid) else { return false }
    return item.oid != .certificatePolicies || certificatePolicies?.hasUnknownQualifier != true
  }
}

extension OID {
  /// The prefix of Apple's certificate extensions, 1.2.840.113635.100, and the arcs below it that Apple's systems
  /// ignore (Security, SecCertificate.c, isAppleExtensionOID).
  private static let apple = OID(1, 2, 840, 113635, 100).content
  private static let skippedArcs: Set<UInt8> = [6, 11, 12, 13, 15]

  /// Extensions of the Car Connectivity Consortium, which Apple's systems also ignore (isCCCExtensionOID).
  private static let carKeys: Set<OID> = Set([1, 8, 9].map { OID(1, 3, 6, 1, 4, 1, 41577, 5, $0) })

  /// Whether Apple's systems ignore this extension.
  fileprivate var isOfApple: Bool {
    guard !OID.carKeys.contains(self) else { return true }
    return content.count > OID.apple.count + 1 && content.starts(with: OID.apple)
      && OID.skippedArcs.contains(content[OID.apple.count])
  }
}

/// The validation of proxy certificates (RFC 3820 section 4), which end entities issue for themselves. The caller must
/// allow them.
extension PathValidation {
  /// Returns whether the certificate at `index` is a proxy certificate and proxy certificates are allowed.
  func isProxy(_ index: Int) -> Bool {
    inputs.allowsProxyCertificates && path.certificates[index].proxyInformation != nil
  }

  /// Performs RFC 3820 section 4.1.3 for the issuer of a proxy certificate, instead of RFC 5280 section 6.1.4 (k) to
  /// (n).
  mutating func prepareForProxy(_ certificate: Certificate, _ index: Int) {
    let proxy = path.certificates[index - 1]
    let mayIssue =
      certificate.basicConstraints?.isCA != true
      && certificate.keyUsage?.contains(.digitalSignature) != false && state.maxProxyLength > 0
    let isNamed = proxy.subject.isOneCommonName(below: certificate.subject)
    let others = [OID.subjectAltName, .issuerAltName].filter { proxy.first($0) != nil }.map(\.name)
    if mayIssue, isNamed, !others.isEmpty {
      check(.proxyWithOtherNames, index - 1, false, required: .absent, found: .words(others))
    } else {
      check(
        mayIssue ? .proxyCertificate : .proxyOfOtherIssuer, index - 1, mayIssue && isNamed,
        required: .word("\(certificate.subject) plus one common name"), found: .word(proxy.subject.description))
    }
    let length = proxy.proxyInformation?.pathLength ?? .max
    state.maxProxyLength = min(max(0, state.maxProxyLength - 1), length)
  }
}

extension Rule {
  fileprivate static let proxyWithOtherNames = proxyCertificate.fixed(
    by: "Issue the proxy without subjectAltName and issuerAltName.")
  fileprivate static let proxyOfOtherIssuer = proxyCertificate.fixed(
    by: "Issue the proxy with the key of an end entity whose keyUsage has digitalSignature, within the path length of "
      + "the proxies above it.")
}

extension DistinguishedName {
  /// Returns whether the name is the issuer's name with one more RDN, which is a common name (RFC 3820 section 3.4).
  fileprivate func isOneCommonName(below issuer: DistinguishedName) -> Bool {
    let (own, above) = (relativeNames, issuer.relativeNames)
    guard own.count == above.count + 1, let last = own.last, last.count == 1 else { return false }
    return last.first?.type == .commonName && comparisonKey.starts(with: issuer.comparisonKey)
  }
}
