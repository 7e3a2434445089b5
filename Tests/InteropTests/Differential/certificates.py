"""Makes certificates from a fixed seed: the same bytes in each run."""

import copy
import random
from dataclasses import dataclass, field

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa

import der

HOST = "shop.example.com"
AT = "2025-06-15T12:00:00Z"
AT_SECONDS = 1_749_988_800

COMMON_NAME, COUNTRY, ORGANIZATION = "2.5.4.3", "2.5.4.6", "2.5.4.10"

SKI, KU, SAN, BC = "2.5.29.14", "2.5.29.15", "2.5.29.17", "2.5.29.19"
NC, CRLDP, CP, PM, AKI, PC, EKU, IAP = (
    f"2.5.29.{arc}" for arc in (30, 31, 32, 33, 35, 36, 37, 54))
AIA = "1.3.6.1.5.5.7.1.1"
SERVER_AUTH, CLIENT_AUTH, CODE_SIGNING = (f"1.3.6.1.5.5.7.3.{arc}" for arc in (1, 2, 3))
ANY_EKU, ANY_POLICY, DOMAIN_VALIDATED = "2.5.29.37.0", "2.5.29.32.0", "2.23.140.1.2.1"

SHA256_RSA, SHA1_RSA, MD5_RSA, PSS = (f"1.2.840.113549.1.1.{arc}" for arc in (11, 5, 4, 10))
ECDSA_SHA256, ECDSA_SHA384, ECDSA_SHA1 = (
    "1.2.840.10045.4.3.2", "1.2.840.10045.4.3.3", "1.2.840.10045.4.1")
ED25519 = "1.3.101.112"


class Randomness(random.Random):
    """Draws by `random()` alone: Python promises that its sequence never changes."""

    def below(self, count):
        return int(self.random() * count)

    def pick(self, items):
        return items[self.below(len(items))]

    def octets(self, count):
        return bytes(self.below(256) for _ in range(count))


SMALL_PRIMES = [n for n in range(3, 2000, 2) if all(n % d for d in range(3, int(n**0.5) + 1, 2))]


def prime(draw, size):
    """Draws a prime with its two highest bits set, fit for the exponent 65537."""
    while True:
        number = int.from_bytes(draw.octets(size // 8), "big") | 3 << size - 2 | 1
        if number % 65537 == 1 or any(number % small == 0 for small in SMALL_PRIMES):
            continue
        if all(is_probable_prime(number, base) for base in (2, 3, 5, 7, 11)):
            return number


def is_probable_prime(number, base):
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    value = pow(base, odd, number)
    if value in (1, number - 1):
        return True
    for _ in range(twos - 1):
        value = value * value % number
        if value == number - 1:
            return True
    return False


def rsa_key(draw, size):
    p, q = prime(draw, size // 2), prime(draw, size // 2)
    d = pow(65537, -1, (p - 1) * (q - 1))
    numbers = rsa.RSAPrivateNumbers(
        p, q, d, d % (p - 1), d % (q - 1), pow(q, -1, p), rsa.RSAPublicNumbers(65537, p * q))
    return numbers.private_key()


CURVES = {"p256": ec.SECP256R1(), "p384": ec.SECP384R1(), "p521": ec.SECP521R1()}
KINDS = ["rsa", "p256", "p384", "ed25519"]


class Keys:
    """The keys of all chains. Each is derived from its name, so no key lies in the repository."""

    def __init__(self):
        self.known = {}

    def __call__(self, kind, role):
        if (kind, role) not in self.known:
            draw = Randomness(f"{kind} {role}")
            self.known[kind, role] = self.derive(kind, draw)
        return self.known[kind, role]

    def derive(self, kind, draw):
        if kind.startswith("rsa"):
            return rsa_key(draw, int(kind[3:] or 2048))
        if kind == "ed25519":
            return ed25519.Ed25519PrivateKey.from_private_bytes(draw.octets(32))
        return ec.derive_private_key(int.from_bytes(draw.octets(31), "big"), CURVES[kind])


KEYS = Keys()


def kind_of(key):
    if isinstance(key, rsa.RSAPrivateKey):
        return "rsa"
    if isinstance(key, ed25519.Ed25519PrivateKey):
        return "ed25519"
    return {"secp256r1": "p256", "secp384r1": "p384", "secp521r1": "p521"}[key.curve.name]


def public_key(key):
    return key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


def key_identifier(spki):
    digest = hashes.Hash(hashes.SHA1())
    digest.update(spki)
    return digest.finalize()


def algorithm(identifier, *parameters):
    return der.sequence(der.oid(identifier), *parameters)


def usual_algorithm(key):
    return {
        "rsa": algorithm(SHA256_RSA, der.null()), "p256": algorithm(ECDSA_SHA256),
        "p384": algorithm(ECDSA_SHA384), "p521": algorithm(ECDSA_SHA384),
        "ed25519": algorithm(ED25519),
    }[kind_of(key)]


def usual_signature(key, content):
    kind = kind_of(key)
    if kind == "rsa":
        return key.sign(content, padding.PKCS1v15(), hashes.SHA256())
    if kind == "ed25519":
        return key.sign(content)
    digest = hashes.SHA256() if kind == "p256" else hashes.SHA384()
    return key.sign(content, ec.ECDSA(digest, deterministic_signing=True))


@dataclass
class Extension:
    kind: str
    critical: bool
    value: bytes
    raw: bytes = None

    def encoded(self):
        if self.raw is not None:
            return self.raw
        critical = [der.boolean(True)] if self.critical else []
        return der.sequence(der.oid(self.kind), *critical, der.octets(self.value))


def utc_time(text):
    return der.tlv(0x17, text.encode())


def generalized_time(text):
    return der.tlv(0x18, text.encode())


@dataclass
class Certificate:
    """A certificate before it is signed. Every member may be given a fault."""

    subject: bytes
    key: object
    issuer: bytes
    signer: object
    serial: bytes = None
    version: bytes = field(default_factory=lambda: der.explicit(0, der.integer(2)))
    not_before: bytes = field(default_factory=lambda: utc_time("250601000000Z"))
    not_after: bytes = field(default_factory=lambda: utc_time("250715000000Z"))
    inner_algorithm: bytes = None
    outer_algorithm: bytes = None
    spki: bytes = None
    unique_ids: bytes = b""
    extensions: list = field(default_factory=list)
    extensions_field: bytes = None
    sign: object = None
    change_tbs: object = None
    change_signature: object = None
    change_all: object = None
    signature_unused_bits: int = 0

    def __post_init__(self):
        self.spki = self.spki or public_key(self.key)
        self.inner_algorithm = self.inner_algorithm or usual_algorithm(self.signer)
        self.outer_algorithm = self.outer_algorithm or self.inner_algorithm

    def find(self, kind):
        return next((item for item in self.extensions if item.kind == kind), None)

    def drop(self, kind):
        self.extensions = [item for item in self.extensions if item.kind != kind]

    def put(self, kind, value, critical=False):
        """Sets the value of an extension; a new one comes last."""
        found = self.find(kind)
        if found:
            found.value, found.critical, found.raw = value, critical, None
        else:
            self.extensions.append(Extension(kind, critical, value))

    def tbs(self):
        extensions = self.extensions_field
        if extensions is None:
            listed = b"".join(item.encoded() for item in self.extensions)
            extensions = der.explicit(3, der.sequence(listed))
        return der.sequence(
            self.version, self.serial, self.inner_algorithm, self.issuer,
            der.sequence(self.not_before, self.not_after), self.subject, self.spki,
            self.unique_ids, extensions)

    def encoded(self):
        tbs = self.tbs()
        if self.change_tbs:
            tbs = self.change_tbs(tbs)
        signature = (self.sign or usual_signature)(self.signer, tbs)
        if self.change_signature:
            signature = self.change_signature(signature)
        whole = der.sequence(
            tbs, self.outer_algorithm, der.bits(signature, self.signature_unused_bits))
        return self.change_all(whole) if self.change_all else whole


def subject(common_name):
    return der.name(
        (COUNTRY, der.printable("GB")), (ORGANIZATION, der.utf8("Example Trust")),
        (COMMON_NAME, der.utf8(common_name)))


def general_names(*names):
    return der.sequence(*names)


def dns(text):
    return der.tlv(0x82, text if isinstance(text, bytes) else text.encode())


def basic_constraints(is_ca, length=None):
    parts = [der.boolean(True)] if is_ca else []
    if length is not None:
        parts.append(der.integer(length))
    return der.sequence(*parts)


def policies(*identifiers):
    return der.sequence(*(der.sequence(der.oid(item)) for item in identifiers))


def purposes(*identifiers):
    return der.sequence(*(der.oid(item) for item in identifiers))


def uri(text):
    return der.tlv(0x86, text.encode())


def common_extensions(spki, issuer_spki):
    return [
        Extension(SKI, False, der.octets(key_identifier(spki))),
        Extension(AKI, False, der.sequence(der.tlv(0x80, key_identifier(issuer_spki)))),
        Extension(CP, False, policies(DOMAIN_VALIDATED)),
        Extension(AIA, False, der.sequence(
            der.sequence(der.oid("1.3.6.1.5.5.7.48.2"), uri("http://ca.example.com/ca.crt")))),
        Extension(CRLDP, False, der.sequence(
            der.sequence(der.explicit(0, der.explicit(0, uri("http://ca.example.com/ca.crl")))))),
    ]


class Chain:
    """A leaf, its CA certificates in order up to the root, and further candidates."""

    def __init__(self, draw, kinds, title):
        self.draw, self.title, self.extra = draw, title, []
        self.root = self.make_root(kinds[-1], "Root")
        self.middle = []
        issuer = self.root
        for number, kind in enumerate(reversed(kinds[1:-1])):
            above = len(kinds) - 3 - number
            issuer = self.make_ca(kind, f"CA {above}", issuer, above)
            self.middle.insert(0, issuer)
        self.leaf = self.make_leaf(kinds[0], issuer)
        self.roots = [self.root]
        self.untrusted = None

    def serial(self):
        return der.integer(int.from_bytes(self.draw.octets(12), "big") | 1 << 94)

    def make_root(self, kind, role):
        key = KEYS(kind, role)
        spki = public_key(key)
        return Certificate(
            subject(role), key, subject(role), key, self.serial(),
            not_before=utc_time("200101000000Z"), not_after=utc_time("400101000000Z"),
            extensions=[
                Extension(BC, True, basic_constraints(True)),
                Extension(KU, True, der.named_bits([5, 6])),
                Extension(SKI, False, der.octets(key_identifier(spki))),
            ])

    def make_ca(self, kind, role, issuer, path_length):
        key = KEYS(kind, role)
        return Certificate(
            subject(role), key, issuer.subject, issuer.key, self.serial(),
            not_before=utc_time("220101000000Z"), not_after=utc_time("320101000000Z"),
            extensions=[
                Extension(BC, True, basic_constraints(True, path_length)),
                Extension(KU, True, der.named_bits([5, 6])),
                Extension(EKU, False, purposes(SERVER_AUTH)),
                *common_extensions(public_key(key), issuer.spki),
            ])

    def make_leaf(self, kind, issuer):
        key = KEYS(kind, "leaf")
        usage = [0, 2] if kind == "rsa" else [0]
        return Certificate(
            der.name((COMMON_NAME, der.utf8(HOST))), key, issuer.subject, issuer.key, self.serial(),
            extensions=[
                Extension(BC, True, basic_constraints(False)),
                Extension(KU, True, der.named_bits(usage)),
                Extension(EKU, False, purposes(SERVER_AUTH)),
                Extension(SAN, False, general_names(dns(HOST), dns("example.com"))),
                *common_extensions(public_key(key), issuer.spki),
            ])

    @property
    def cas(self):
        return [*self.middle, self.root]

    def target(self, role):
        """The certificate in this role: the leaf, the lowest CA below the root, or the root."""
        return {"leaf": self.leaf, "ca": self.middle[0] if self.middle else None,
                "root": self.root}[role]

    def encoded(self):
        """The leaf, the candidates, and the roots."""
        candidates = [*self.middle, *self.extra] if self.untrusted is None else self.untrusted
        return (self.leaf.encoded(), [item.encoded() for item in candidates],
                [item.encoded() for item in self.roots])

    def copy_of(self, certificate):
        result = copy.copy(certificate)
        result.extensions = [copy.copy(item) for item in certificate.extensions]
        return result
