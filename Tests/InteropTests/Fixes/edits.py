"""The changes of the input that carry out the fixes, by rule and printed fix.

A row has the rule, a pattern that the whole sentence matches, and the change. A change gets the path (the leaf first), the
place of the certificate that the finding is about, and the finding. It returns a reason if the fix cannot be played.
"""

import ipaddress
import re

import der
from certificates import (AIA, AKI, BC, CP, CRLDP, DOMAIN_VALIDATED, EKU, HOST, KEYS, KU, NC, PC, PM, SAN, SERVER_AUTH, SKI,
                          Certificate, Extension, basic_constraints, dns, general_names, key_identifier, policies,
                          purposes, subject, uri, usual_algorithm, usual_signature, utc_time)
from mutations import PSS_256, pss_algorithm
from reading import content, kind_of, set_key

ROWS = []
NAMES = {"subjectKeyIdentifier": SKI, "keyUsage": KU, "subjectAltName": SAN, "basicConstraints": BC, "nameConstraints": NC,
         "cRLDistributionPoints": CRLDP, "certificatePolicies": CP, "policyMappings": PM, "authorityKeyIdentifier": AKI,
         "policyConstraints": PC, "extKeyUsage": EKU, "inhibitAnyPolicy": "2.5.29.54", "authorityInfoAccess": AIA}


def row(rule, pattern):
    def add(change):
        ROWS.append((rule, re.compile(pattern, re.DOTALL), change))
        return change
    return add


def change_for(finding):
    """The change that carries out the fix of this finding; None without a row."""
    return next((change for rule, pattern, change in ROWS
                 if rule == finding["rule"] and pattern.fullmatch(finding["fix"])), None)


def is_ca(path, index):
    return index > 0


def good(path, index, kind):
    """The usual value of an extension of this certificate, and whether it is critical; None for unknown extensions."""
    certificate, issuer = path[index], path[min(index + 1, len(path) - 1)]
    names = general_names(host_of(path), dns("example.com"))
    identifier = issuer.find(SKI)
    is_read = identifier and identifier.value[:1] == b"\x04" and len(identifier.value) > 1
    above = content(identifier.value) if is_read else key_identifier(issuer.spki)
    return {
        SKI: (der.octets(key_identifier(certificate.spki)), False),
        AKI: (der.sequence(der.tlv(0x80, above)), False),
        KU: (der.named_bits([5, 6] if is_ca(path, index) else [0]), True),
        BC: (basic_constraints(is_ca(path, index)), True), SAN: (names, not children_of(certificate.subject)),
        EKU: (purposes(SERVER_AUTH), False), CP: (policies(DOMAIN_VALIDATED), False),
        AIA: (der.sequence(der.sequence(der.oid("1.3.6.1.5.5.7.48.2"), uri("http://ca.example.com/ca.crt"))), False),
        CRLDP: (der.sequence(der.sequence(der.explicit(0, der.explicit(0, uri("http://ca.example.com/ca.crl"))))), False),
        NC: (der.sequence(der.explicit(0, der.sequence(dns("example.com")))), True),
    }.get(kind)


def children_of(name):
    return len(name) > 2


def host_of(path):
    """The general name of the requested host."""
    try:
        return der.tlv(0x87, ipaddress.ip_address(path.host).packed)
    except ValueError:
        return dns(path.host)


def put(path, index, kind):
    """Encodes an extension again, once; removes one that has no usual value."""
    certificate = path[index]
    found = good(path, index, kind)
    certificate.drop(kind)
    if found:
        certificate.extensions.append(Extension(kind, found[1], found[0]))
    certificate.extensions_field = None


def put_all(path, index, finding):
    """Encodes the extensions that the finding names again, each once."""
    certificate = path[index]
    named = [NAMES[name] for name in NAMES if name in finding["found"]]
    kinds = named or [item.kind for item in certificate.extensions]
    for kind in dict.fromkeys(kinds):
        put(path, index, kind)


def rekey(certificate, kind, role):
    set_key(certificate, KEYS(kind, role))


def sign_usually(certificate, issuer):
    """Uses the algorithm that fits the issuer's key, and signs with it."""
    certificate.sign = usual_signature
    certificate.inner_algorithm = certificate.outer_algorithm = usual_algorithm(
        issuer.key or KEYS(kind_of(issuer.spki), "fix"))
    if issuer.key is None:
        set_key(issuer, KEYS(kind_of(issuer.spki), "fix"))


def issuer_of(path, index):
    return path[min(index + 1, len(path) - 1)]


@row("chain.malformed", r"Issue the certificate again with software that encodes the extension as its standard defines it\.")
def encode_extensions(path, index, finding):
    put_all(path, index, finding)


@row("chain.malformed", r"Issue the certificate again for an Ed25519 key of 32 bytes, without parameters .*")
def ed25519_key(path, index, finding):
    rekey(path[index], "ed25519", "fix")


@row("chain.key-algorithm", r"Generate a new key: RSA of at least 2048 bits \(rsaEncryption\), or elliptic-curve on P-256, .*")
@row("chain.key-size", r"Generate a new key of at least 2048 bits \(RSA\) or 256 bits \(elliptic curve\)\.")
@row("chain.named-curve", r"Issue the certificate for a key that names its curve\.")
def new_key(path, index, finding):
    rekey(path[index], "p256", f"fix {index}")


@row("chain.unsupported-signature-algorithm", r"Use a CA that signs with RSA or ECDSA: no other algorithm is allowed\.")
@row("chain.unsupported-signature-algorithm", r"Use a CA with an RSA key \(rsaEncryption\) or an elliptic-curve key .*")
def other_ca(path, index, finding):
    rekey(issuer_of(path, index), "p256", f"fix {index + 1}")
    sign_usually(path[index], issuer_of(path, index))


@row("chain.unsupported-signature-algorithm", r"Issue the certificate again with RSASSA-PSS, or give the CA an RSA key .*")
def rsa_ca(path, index, finding):
    rekey(issuer_of(path, index), "rsa2048", f"fix {index + 1}")
    sign_usually(path[index], issuer_of(path, index))


@row("chain.unsupported-signature-algorithm", r"Issue the certificate again, (and omit trailerField from|with SHA-256 in MGF1|"
     r"with the RSASSA-PSS parameters of|with parameters of the type RSASSA-PSS-params|with a salt as long).*")
@row("chain.unsupported-signature-algorithm", r"Issue the certificate again, with a signature that the RSASSA-PSS parameters .*")
def usual_pss(path, index, finding):
    certificate, issuer = path[index], issuer_of(path, index)
    if issuer.key is None:
        set_key(issuer, KEYS("rsa2048", f"fix {index + 1}"))
    certificate.inner_algorithm = certificate.outer_algorithm = pss_algorithm("256", "256", 32)
    certificate.sign = PSS_256


@row("chain.unsupported-signature-algorithm", r"Present the issuer's certificate for the key that made the signature\. If there is none, "
     r"issue the certificate again with an algorithm that fits the issuer's key\.")
@row("chain.unsupported-signature-algorithm", r"Issue the certificate again with an algorithm that clients support and that .*")
@row("chain.unsupported-signature-algorithm", r"Issue the certificate again, with(out| NULL as the) parameters (in|of) the .*")
@row("chain.unsupported-signature-algorithm", r"Sign with ECDSA and SHA-\d+: each curve has its own hash\.")
@row("chain.weak-signature", r"Have the certificate issued again with SHA-256\.")
@row("chain.signature-algorithm-mismatch", r"Issue the certificate again with software that writes the same algorithm in both fields\.")
@row("chain.signature-invalid", r"Issue the certificate again with the issuer's own key: it was changed, or signed with .*")
@row("chain.signature-invalid", r"Issue the certificate again, with a signatureValue (of whole bytes|that fits its algorithm\. .*)\.")
@row("chain.signature-invalid", r"Issue the certificate again, with the CA's actual signature algorithm in the algorithm .*")
def sign_again(path, index, finding):
    sign_usually(path[index], issuer_of(path, index))


@row("chain.signature-invalid", r"Use the certificate as the CA issued it: bytes were changed after the CA signed it\.")
@row("chain.signature-invalid", r"Present the issuer's certificate with the key identifier .*")
def absent(path, index, finding):
    return "the certificate that the fix asks for is not in the input"


@row("chain.name-constraints", r"Have the certificate issued by a CA whose name constraints permit its names\.")
def unconstrained(path, index, finding):
    for certificate in path[index + 1:]:
        certificate.drop(NC)


@row("chain.name-constraints", r"Have the CA's certificate issued again: .* Write the domain without a wildcard, and .*")
def constraint_above(path, index, finding):
    for place in range(index + 1, len(path)):
        if path[place].find(NC):
            put(path, place, NC)


@row("chain.no-issuer", r"(Where|If) an intermediate .*")
def present_issuer(path, index, finding):
    last = path[index]
    root = Certificate(subject("Root of the fix"), KEYS("p256", "fix root"), subject("Root of the fix"), None,
                       der.integer(2 ** 70), not_before=utc_time("200101000000Z"), not_after=utc_time("400101000000Z"),
                       inner_algorithm=b"-", extensions=[Extension(BC, True, basic_constraints(True)),
                                                        Extension(KU, True, der.named_bits([5, 6]))])
    middle = Certificate(last.issuer, KEYS("p256", "fix middle"), root.subject, None, der.integer(2 ** 71),
                         not_before=root.not_before, not_after=root.not_after, inner_algorithm=b"-",
                         extensions=list(root.extensions))
    path[index + 1:] = [middle, root]
    path.roots.append(root)
    sign_usually(last, middle)


@row("chain.self-signed", r"Get a certificate from a CA, or install this certificate on the client as trusted\.")
@row("chain.no-anchor", r"Use a certificate from a CA that the client trusts, or install the root on the client\. .*")
def install_root(path, index, finding):
    path.roots.append(path[-1])


@row("chain.extended-key-usage", r"Have the certificate issued with the purpose in extKeyUsage: serverAuth for a TLS .*")
def purpose(path, index, finding):
    put(path, index, EKU)


@row("chain.extended-key-usage", r"Have the root issued without extKeyUsage\.")
def no_purpose(path, index, finding):
    path[index].drop(EKU)


@row("chain.name-form", r"Issue the certificate with (each name in the form that its type requires|only dNSName .*)\.")
@row("name.mismatch", r"(Have the certificate issued for this host, or request a host that it names\.|dNSName \".*)")
@row("name.wildcard-form", r"Have the certificate issued for the host itself, or for \* as the whole first label\.")
@row("name.wildcard-form", r"Have the certificate issued for the host itself: a wildcard label would be directly .*")
@row("name.wildcard-depth", r"Have the certificate issued for the host as well: .*")
@row("name.no-san", r"Have the certificate issued with the host .*")
def host_name(path, index, finding):
    put(path, index, SAN)


@row("chain.key-usage", r"Issue the CA's certificate with keyCertSign\.")
@row("chain.key-usage", r"Have the certificate issued with only digitalSignature in keyUsage\.")
@row("chain.key-usage", r"Have the certificate issued with digitalSignature(, keyEncipherment or both) in keyUsage.*")
def usage(path, index, finding):
    put(path, index, KU)


@row("chain.criticality", r"Issue the certificate with the extension marked critical or not critical, as .*")
def criticality(path, index, finding):
    for name, kind in NAMES.items():
        found = path[index].find(kind)
        if found and name in finding["found"]:
            found.critical, found.raw = not found.critical, None


@row("chain.common-name-form", r"Leave the common name out, or copy a name of subjectAltName into it\.")
def common_name(path, index, finding):
    """Empties the subject and makes subjectAltName critical instead, if there is one."""
    path[index].subject = der.sequence()
    names = path[index].find(SAN)
    if names:
        names.critical, names.raw = True, None


@row("chain.not-a-ca", r"Sign with the key of a CA: an end entity's key cannot issue certificates\. If the issuer is meant to be a CA, "
     r"issue its certificate again with cA TRUE and keyCertSign\.")
@row("chain.authority-fields", r"Issue the certificate with both cA and keyCertSign, or with neither\.")
@row("chain.authority-fields", r"Issue the certificate with(out pathLenConstraint, or with both cA and| a bit in keyUsage, or) .*")
def authority(path, index, finding):
    put(path, index, BC)
    put(path, index, KU)


@row("chain.ca-as-leaf", r"Issue the server its own certificate, with cA FALSE and without keyCertSign\.")
def end_entity(path, index, finding):
    put(path, index, BC)
    put(path, index, KU)


@row("chain.missing-extension", r"Issue the certificate again, with [\w, ]+\.")
def add_extension(path, index, finding):
    for name, kind in NAMES.items():
        if name in finding["required"]:
            put(path, index, kind)


@row("chain.certificate-policy", r"Issue the certificates under a policy that the validator accepts\.")
def policy(path, index, finding):
    for place, certificate in enumerate(path[:-1]):
        put(path, place, CP)
        certificate.drop(PM)


@row("chain.path-length", r"Have a CA with a larger pathLenConstraint, or without one, issue the intermediate\.")
def longer_path(path, index, finding):
    for place in range(index, len(path)):
        put(path, place, BC)


@row("chain.policy-mapping", r"Issue the CA's certificate without mappings of anyPolicy\.")
def no_mapping(path, index, finding):
    path[index].drop(PM)


@row("chain.unhandled-critical-extension", r"Issue the certificate without the extension, or mark it not critical\.")
def uncritical(path, index, finding):
    for item in path[index].extensions:
        if item.critical and (item.kind in finding["found"] or
                              any(name in finding["found"] for name, kind in NAMES.items() if kind == item.kind)):
            item.critical, item.raw = False, None


@row("chain.version", r"Issue the certificate as version 3\.")
def version(path, index, finding):
    path[index].version = der.explicit(0, der.integer(2))


@row("chain.key-identifier", r"Issue the certificate again, with its issuer's subjectKeyIdentifier as the keyIdentifier of .*")
@row("chain.key-identifier-form", r"Issue the certificate with only a keyIdentifier in authorityKeyIdentifier\.")
@row("chain.key-identifier-form", r"Issue the root with its own subjectKeyIdentifier as the keyIdentifier of .*")
def link(path, index, finding):
    put(path, index, AKI)


@row("chain.not-yet-valid", r"Check the clock of the client, or wait until notBefore\. .*")
def later(path, index, finding):
    path.at = finding["required"].split()[-1]


@row("chain.expired", r"Renew the certificate, and check the clock of the client\.")
@row("chain.expired", r"Issue the certificate again, with a notAfter that is later than notBefore\.")
@row("chain.expired", r"Issue the certificate again, with dates from 2050 on as GeneralizedTime: .*")
def renew(path, index, finding):
    path[index].not_after = der.tlv(0x18, b"20520101000000Z") if "Generalized" in finding["fix"] else utc_time("301231000000Z")
    if index == 0 and "Generalized" not in finding["fix"]:
        path[index].not_after = utc_time("250815000000Z")


@row("chain.name-constraints-form", r"Write hosts without a wildcard and without a leading period: example\.com\.")
def constraint(path, index, finding):
    put(path, index, NC)


@row("chain.name-constraints-form", r"Issue the certificate without nameConstraints\.")
def no_constraint(path, index, finding):
    path[index].drop(NC)


@row("chain.empty-name", r"Issue the CA's certificate with a subject, and this certificate with that subject as its issuer\.")
def named_issuer(path, index, finding):
    named(path, min(index + 1, len(path) - 1), finding)


@row("chain.empty-name", r"Issue the certificate with a subject, or with a critical subjectAltName\.")
@row("chain.empty-name", r"Issue the certificate with a subject\.")
def named(path, index, finding):
    path[index].subject = der.name(("2.5.4.3", der.utf8(HOST if index == 0 else "Named CA")))
    if index > 0:
        path[index - 1].issuer = path[index].subject
    if index == len(path) - 1:
        path[index].issuer = path[index].subject


@row("chain.serial-number", r"Issue the certificate with a positive serial number of at most 20 octets\.")
def serial(path, index, finding):
    path[index].serial = der.integer(2 ** 72 + 5)


@row("chain.time-form", r"Issue the certificate with each date in the type that its year requires\.")
def time_form(path, index, finding):
    for member in ("not_before", "not_after"):
        digits = getattr(path[index], member)
        text = digits[2:].decode("ascii", "replace")
        if digits[0] == 0x18 and text[:2] in ("19", "20") and text[:4] < "2050":
            setattr(path[index], member, utc_time(text[2:]))


@row("chain.lifetime", r"Have the certificate issued for fewer days, and renew it more often\.")
def shorter(path, index, finding):
    path[index].not_before, path[index].not_after = utc_time("250601000000Z"), utc_time("250715000000Z")
