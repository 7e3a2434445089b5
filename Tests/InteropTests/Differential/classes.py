"""The classes of disagreement, each with the clause that settles it.

A class names its comparison, the validator that refuses, a pattern that matches each of its
reasons as a whole, and a pattern of its chains, as `mutation/role shape`. Another fault that
happens to have the same reason is thus not of this class.

Kinds: `choice`: the standard leaves it to the validator; `peer lenient` and `peer strict`: the
standard is on TrustLab's side. If it is on the peer's side, fix TrustLab.
"""

import re
from dataclasses import dataclass

OPENSSL, ALL = "openssl strict", "openssl strict pyca"


@dataclass(frozen=True)
class Class:
    name: str
    peers: str
    refuses: str
    reason: re.Pattern
    where: re.Pattern
    kind: str
    clause: str
    why: str


CLASSES = []


def add(name, peers, refuses, reason, where, kind, clause, why):
    CLASSES.append(Class(
        name, peers, refuses, re.compile(reason), re.compile(where), kind, clause, why))


def ours(name, peers, *rest):
    """TrustLab refuses, the peer accepts."""
    add(name, peers, "trustlab", *rest)


def theirs(name, peers, *rest):
    """The peer refuses, TrustLab accepts."""
    add(name, peers, "peer", *rest)


LENIENT, STRICT, CHOICE = "peer lenient", "peer strict", "choice"

# Encoding.

ours("der-form", ALL,
     r"unreadable: .*(not in its shortest form|indefinite length|neither 00 nor ff|"
     r"bytes too many|tag 0x1[01] instead of SE(T|QUENCE)|Indefinite form|in long form).*",
     r"^(octets\.|\w+\.(critical-ber-true|long-length|indefinite)/)", LENIENT,
     "X.690 10.1, 8.3.2, 11.1; RFC 5280 4.1",
     "The peer reads BER where the standard requires DER, or ignores bytes after the certificate.")
ours("extension-form", ALL, r"chain\.malformed",
     r"^(\w+\.(trailing-bytes|truncated|inner-trailing|long-length|indefinite|empty|null|no-value|"
     r"wrong-tag|false-written|ber-true|length-padded|more|duplicated)/|octets\.)", LENIENT,
     "X.690 10.1; RFC 5280 4.2, Appendix A",
     "The peer reads BER, ignores trailing bytes, does not decode extensions that it does not use, "
     "or accepts an extension twice.")
ours("name-form-in-extension", ALL, r"chain\.malformed",
     r"^subjectAltName\.(utf8|high-octet|ip-5-octets|ip-empty|constructed-dns|nul|directory-implicit|"
     r"registered-empty|other-name-no-value|x400|edi|tag-9)", LENIENT, "RFC 5280 4.2.1.6",
     "A name that is not IA5String, or an address that is not 4 or 16 octets long.")
ours("constraint-form", ALL, r"chain\.malformed",
     r"^nameConstraints\.(ip-4-octets|minimum-1|maximum|empty|empty-trees|utf8|directory-empty)",
     LENIENT, "RFC 5280 4.2.1.10",
     "minimum is 0 and maximum absent; address ranges have 8 or 32 octets; the sequence of subtrees "
     "has an element.")
ours("policy-form", ALL, r"chain\.malformed",
     r"^policies\.(same-twice|qualifiers-empty|mapping-empty|constraints-empty|constraints-negative|"
     r"inhibit-negative|qualifier)", LENIENT, "RFC 5280 4.2.1.4, 4.2.1.11, Appendix A",
     "A policy occurs once; a sequence of qualifiers has an element; skip counts are not negative.")
ours("usage-form", ALL, r"chain\.malformed", r"^keyUsage\.(unused-8|padding-set|empty)", LENIENT,
     "X.690 8.6.2, 11.2.1", "A BIT STRING with impossible or set unused bits.")
ours("key-form", ALL, r"unreadable: subjectPublicKeyInfo: .*|chain\.malformed",
     r"^(key\.|octets\.)", LENIENT, "RFC 3279 2.3.1; RFC 5480 2.2; RFC 8017 3.1",
     "The peer does not decode a key that it does not need, or reads a hybrid point or BER.")
ours("compressed-point", ALL, r"chain\.(unsupported-signature-algorithm|key-algorithm)",
     r"^key\.ec-compressed", CHOICE, "RFC 5480 2.2",
     "Compressed points MAY be supported; the web PKI does not have them.")
ours("key-parameters", ALL,
     r"chain\.(named-curve|key-size|key-algorithm|unsupported-signature-algorithm|"
     r"signature-algorithm-parameters|unsupported-key)",
     r"^key\.(rsa|ec|ed25519|unknown)|^octets\.", LENIENT, "RFC 3279 2.3.1; RFC 5480 2.1.1; BR 7.1.3.1",
     "The peer does not check the parameters, or the algorithm, of the leaf's key.")
ours("empty-rdn", ALL, r"unreadable: AttributeTypeAndValue: missing",
     r"^(subject|name|issuer)\.empty-rdn/|^octets\.", LENIENT,
     "RFC 5280 4.1.2.4, Appendix A", "A RelativeDistinguishedName has at least one attribute.")
theirs("name-value", OPENSSL, r"unreadable|20 .*|2 .*",
       r"^(subject|name|issuer)\.(bmp-odd|utf8-invalid|integer|printable-invalid)/|^octets\.", CHOICE,
       "RFC 5280 4.1.2.4, 7.1",
       "OpenSSL decodes the string of each attribute. TrustLab compares what it cannot decode as "
       "octets.")
theirs("name-value-of-pyca", "pyca", r"ValueError: .*(InvalidValue|InvalidSetOrdering|ShortData).*",
       r"^(subject|name|issuer)\.|^octets\.", CHOICE, "RFC 5280 4.1.2.4; X.690 11.6",
       "pyca decodes the string of each attribute and checks the order within an RDN.")
theirs("default-written", "pyca", r".*(EncodedDefault|DEFAULT value was explicitly encoded).*",
       r"false-written|minimum-0-written|trailer-1|^octets\.", CHOICE, "X.690 11.5",
       "DER omits a value that is the default. Nothing is ambiguous, and TrustLab accepts it.")

# Anchors and paths.

theirs("anchor", ALL, r"(?!7 ).*", r"^(?!key\.|chain\.)\S+/root ", CHOICE, "RFC 5280 6.1.1 (d)",
       "The anchor is a name and a key. In rfc5280 TrustLab applies no rule about certificates to "
       "it; the peer does.")
theirs("partial-chain", OPENSSL, r"2 .*|20 .*", r"^chain\.(ca-trusted|only-leaf-trusted|leaf-is-ca)",
       CHOICE, "RFC 5280 6.1.1 (d)",
       "Without -partial_chain OpenSSL takes only a self-signed certificate as an anchor.")
theirs("key-identifier", OPENSSL, r"20 .*|2 .*",
       r"^(identifier|subjectKeyIdentifier|authorityKeyIdentifier)\.|^octets\.", STRICT,
       "RFC 5280 4.2.1.1, 6.1", "OpenSSL refuses an issuer whose identifier, serial number or name "
       "differs from the AKI. In path validation identifiers have no part: they help to find a path.")
theirs("name-compared-as-octets", "pyca", r".*all candidates exhausted with no interior errors",
       r"^(link|name|octets)\.", STRICT, "RFC 5280 7.1",
       "pyca compares names octet by octet. The standard compares them without regard to case and "
       "string type.")

# Times, serial numbers, versions.

theirs("last-second", OPENSSL, r"10 .*", r"^time\.last-second/", STRICT, "RFC 5280 4.1.2.5",
       "The period lasts through notAfter, inclusive.")
ours("version", ALL, r"chain\.version|unreadable: version: a number that is negative or too large",
     r"^(version|octets)\.", LENIENT, "RFC 5280 4.1.2.1", "Versions are v1, v2 and v3.")
ours("version-written", ALL, r"unreadable: version: the default value v1 is encoded",
     r"^version\.1-written/", LENIENT, "X.690 11.5", "DER omits a value that is the default.")
ours("no-extension", ALL, r"unreadable: Extension: missing", r"^extensions\.empty/", LENIENT,
     "RFC 5280 4.1", "The sequence of extensions has at least one element.")
theirs("path-length-of-pyca", "pyca", r".*integer overflow.*", r"^basicConstraints\.length-2\^70/",
       STRICT, "RFC 5280 4.2.1.9", "The path length has no upper bound.")
ours("serial-number", "pyca", r"chain\.serial-number", r"^serial\.(zero|21-octets)", LENIENT,
     "RFC 5280 4.1.2.2; BR 7.1.2.7", "Positive, and at most 20 octets.")

# Requirements for a conforming CA. In rfc5280 these advise; -x509_strict enforces some.

theirs("ca-conformance", "strict", r"(8[0-9]|9[0-4]) .*|26 .*|79 .*|32 .*",
       r"^(authorityKeyIdentifier|subjectKeyIdentifier|identifier|basicConstraints|keyUsage|name|"
       r"subject|version|extensions|octets)\.", CHOICE, "RFC 5280 4.1.2.6, 4.2.1.1, 4.2.1.2, 4.2.1.9",
       "What CAs MUST do is not in section 6. In rfc5280 TrustLab reports it without refusing.")
theirs("usage-of-leaf", OPENSSL, r"26 .*|82 .*",
       r"^keyUsage\.(nonRepudiation|cRLSign|keyCertSign|nine-bits|encipherOnly|seven-bits-more|all)",
       CHOICE, "RFC 5280 4.2.1.3, 4.2.1.9",
       "Section 6 does not read the leaf's key usage; the handshake does. OpenSSL requires a usage "
       "for TLS.")
theirs("usage-without-bits", OPENSSL, r"20 .*", r"^keyUsage\.(no-bits|zero-octet)/", CHOICE,
       "RFC 5280 4.2.1.3", "At least one bit MUST be set: TrustLab reports it without refusing.")
theirs("critical-identifier", ALL, r"34 .*|.*incorrect criticality.*|.*unaccounted-for.*",
       r"^(subjectKeyIdentifier|authorityKeyIdentifier)\.critical-flipped/", STRICT, "RFC 5280 4.2",
       "A critical extension that is recognized and processed is no reason to refuse.")
theirs("any-purpose", OPENSSL, r"26 .*", r"^extKeyUsage\.any", CHOICE, "RFC 5280 4.2.1.12",
       "An application MAY refuse anyExtendedKeyUsage where it needs one purpose by name.")
ours("server-gated-cryptography", OPENSSL, r"chain\.extended-key-usage", r"^extKeyUsage\.sgc",
     LENIENT, "RFC 5280 4.2.1.12", "OpenSSL takes Netscape's SGC for serverAuth.")

# Names.

ours("common-name", OPENSSL, r"name\.(no-san|mismatch)",
     r"^(subjectAltName|version|unique-id|extensions|octets)\.", LENIENT, "RFC 9525 6.3, Appendix A",
     "OpenSSL compares the host with the common name if there is no dNSName.")
ours("partial-wildcard", OPENSSL, r"name\.wildcard-form", r"^subjectAltName\.wildcard-", LENIENT,
     "RFC 9525 6.3", "The wildcard is a whole label.")
ours("uri-user", OPENSSL, r"chain\.name-constraints", r"^constrained\.uri-user/", LENIENT,
     "RFC 5280 4.2.1.10; RFC 3986 3.2.1", "OpenSSL takes the user part of a URI for the host.")
ours("wildcard-in-excluded", OPENSSL, r"chain\.name-constraints", r"^constrained\.wildcard-excluded/",
     CHOICE, "RFC 5280 4.2.1.10",
     "The wildcard name also stands for the excluded host; TrustLab, pyca and Go refuse it.")
ours("wildcard-outside", "pyca", r"chain\.name-constraints", r"^constrained\.wildcard-outside/",
     LENIENT, "RFC 5280 4.2.1.10", "A wildcard name is wider than the permitted subtree.")
ours("directory-constraint", "pyca", r"chain\.name-constraints", r"^nameConstraints\.directory-",
     LENIENT, "RFC 5280 4.2.1.10", "Constraints on directoryName apply to the subject.")
theirs("constraint-everything", "pyca", r".*malformed DNS name constraint.*",
       r"^nameConstraints\.(everything|excluded-everything|trailing-dot|blank)", STRICT,
       "RFC 5280 4.2.1.10", "An empty dNSName contains every name.")
ours("web-name-form", "pyca", r"chain\.name-form", r"^(subjectAltName|constrained)\.", LENIENT,
     "BR 7.1.2.7.12; RFC 1034 3.5", "subjectAltName has dNSName and iPAddress only, in preferred syntax.")
ours("web-constraint-form", "pyca", r"chain\.name-constraints-form", r"^nameConstraints\.", LENIENT,
     "RFC 5280 4.2.1.10", "A constraint that is no host, mailbox or contiguous mask.")
ours("web-common-name", "pyca", r"chain\.common-name-form", r"^(subject|subjectAltName|octets)\.",
     LENIENT, "BR 7.1.4.3", "The common name is one of the names in subjectAltName, as written there.")

# Policies.

ours("policy-processing", "openssl", r"chain\.(certificate-policy|policy-mapping)",
     r"^policies\.| (policies|mapping)", LENIENT, "RFC 5280 6.1.3 (d) to (f), 6.1.4 (a), 6.1.5 (g)",
     "OpenSSL processes policies only with -policy or -policy_check.")
ours("policy-qualifier", OPENSSL, r"chain\.unhandled-critical-extension",
     r"^policies\.qualifier-unknown-critical/", LENIENT, "RFC 5280 4.2.1.4",
     "A critical certificatePolicies whose qualifier is unknown MUST be rejected.")
theirs("policies-of-pyca", "pyca",
       r".*(2\.5\.29\.(32|33|36|54): certificate contains unaccounted-for critical extensions).*",
       r"^policies\.|^certificatePolicies\.|(policies|mapping)-", STRICT, "RFC 5280 6.1.2, 4.2",
       "pyca does not process policies and refuses their critical extensions.")

# Algorithms.

ours("weak-digest", OPENSSL, r"chain\.weak-signature", r"^algorithm\.\w+-(sha1|md5|pss-defaults)/",
     CHOICE, "RFC 6194 5; RFC 6151 2", "OpenSSL verifies MD5 and SHA-1 at security level 0 or 1.")
ours("signature-parameters", ALL,
     r"chain\.(unsupported-signature-algorithm|signature-algorithm-parameters|weak-signature)",
     r"^algorithm\.(rsa|ecdsa|ed25519)-(octet|sequence|null)-parameters/", LENIENT,
     "RFC 4055 5; RFC 5758 3.2; RFC 8410 3",
     "Parameters are NULL for RSA, and absent for ECDSA and Ed25519.")
ours("web-digest", "pyca", r"chain\.(unsupported-signature-algorithm|weak-signature)",
     r"^algorithm\.", LENIENT, "BR 7.1.3.2", "Which hash belongs to which curve; which parameters RSA has.")
theirs("pss-of-pyca", "pyca", r".*Forbidden signature algorithm.*", r"^algorithm\.rsa-pss-trailer-1/",
       CHOICE, "X.690 11.5; RFC 4055 3.1", "The default trailer is written out.")
ours("unused-bits", "pyca", r"chain\.signature-invalid", r"^signature\.unused-bits/", LENIENT,
     "RFC 8017 8.2.2; RFC 5280 4.1.1.3", "A signature has whole octets.")
ours("web-key", "pyca", r"chain\.(key-size|key-algorithm)",
     r"^\S+ \S*-ed25519|^key\.(rsa1024|ed25519|unknown|rsa|ec)", LENIENT, "BR 6.1.5, 7.1.3.1",
     "pyca does not check the leaf's key: Ed25519, RSA below 2048 bits, RSASSA-PSS.")
theirs("leaf-key", OPENSSL, r"unreadable|1 .*", r"^key\.(ec-unknown-curve|ec-as-ecdh|unknown)/leaf |^octets\.", CHOICE,
       "RFC 5280 6.1.5", "Path validation does not use the leaf's key. TrustLab does not decode a key "
       "of an unknown kind.")
theirs("web-root-key", "pyca", r".*(Forbidden public key|ExtraData|malformed public key).*",
       r"^key\.rsa-(no|octet|null)-parameters/root ", CHOICE, "BR 7.1.3.1",
       "The rule is of 2020-08-20. The root is older, so that TrustLab only advises; pyca ignores its date.")
theirs("root-of-other-path", "pyca", r".*(ShortData|malformed public key).*",
       r"^key\.ec-(no|octet|null)-parameters/root \S*cross", STRICT, "RFC 5280 6.1",
       "pyca loads no trust store with a damaged root. Another root of the store has a valid path.")

# The web profile.

ours("web-purpose", "pyca", r"chain\.extended-key-usage", r"^extKeyUsage\.", LENIENT,
     "BR 7.1.2.7.10, 7.1.2.10.6", "The purpose serverAuth is named, and anyExtendedKeyUsage is not.")
ours("web-usage", "pyca", r"chain\.(key-usage|authority-fields)",
     r"^(keyUsage|basicConstraints)\.|^key\.", LENIENT,
     "BR 7.1.2.7.11; RFC 5280 4.2.1.3, 4.2.1.9", "A bit is set, and it fits the kind of key.")
ours("web-identifiers", "pyca", r"chain\.(missing-extension|key-identifier-form)",
     r"^(subjectKeyIdentifier|authorityKeyIdentifier|identifier|octets|policies)\.", LENIENT,
     "BR 7.1.2.11.1; RFC 5280 4.2.1.1", "The key identifier alone, and always.")
ours("web-criticality", "pyca", r"chain\.criticality", r"^(\w+\.critical-flipped|policies\.\S+-not-critical)/",
     LENIENT, "RFC 5280 4.2.1.2, 4.2.1.11, 4.2.1.14", "pyca does not check it.")

# Other disagreements on chains with a second path.

theirs("other-path", OPENSSL, r".*", r" cross", STRICT, "RFC 5280 6.1; RFC 4158 2.4",
       "OpenSSL takes the first issuer that fits and tries no other path.")

# Rules that may refuse a good chain, by its shape.
GOOD = {
    "rfc5280": [],
    "webpki": [(("chain.key-algorithm", "chain.key-size", "chain.weak-signature",
                 "chain.unsupported-signature-algorithm"), re.compile("ed25519"))],
}
