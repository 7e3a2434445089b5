"""Makes the chains: good ones of each shape, then mutated ones, from one seed."""

from dataclasses import dataclass

import der
from certificates import (
    BC, CP, DOMAIN_VALIDATED, EKU, HOST, KINDS, NC, PC, PM, Chain, Randomness, dns, kind_of,
    policies, utc_time)
from mutations import EXPLICIT, MUTATIONS, OTHER_POLICY


@dataclass
class Case:
    id: str
    shape: str
    mutation: str
    role: str
    leaf: bytes
    candidates: list
    roots: list


def plain(chain):
    pass


def with_name_constraints(chain):
    chain.cas[0].put(NC, der.sequence(
        der.explicit(0, der.sequence(dns("example.com")), der.sequence(dns("example.net"))),
        der.explicit(1, der.sequence(dns("evil.example.com")))), True)


def with_policies(chain):
    chain.cas[0].put(PC, EXPLICIT, True)


def with_mapping(chain):
    if chain.middle:
        chain.middle[0].put(PM, der.sequence(
            der.sequence(der.oid(DOMAIN_VALIDATED), der.oid(OTHER_POLICY))), True)
        chain.middle[0].put(PC, EXPLICIT, True)
        chain.leaf.put(CP, policies(OTHER_POLICY, DOMAIN_VALIDATED))


def with_cross_certificate(chain):
    """The root's key, certified by an older root: two paths lead to trust."""
    older = chain.make_root(kind_of(chain.root.key), "Older Root")
    cross = chain.make_ca(kind_of(chain.root.key), "Root", older, None)
    cross.drop(EKU)
    chain.extra.append(cross)
    chain.roots.append(older)


def with_cross_certificate_only(chain):
    """The same, but the client trusts only the older root."""
    with_cross_certificate(chain)
    chain.roots = chain.roots[1:]


def with_expired_cross_certificate(chain):
    with_cross_certificate(chain)
    chain.extra[0].not_after = utc_time("250101000000Z")


SHAPES = {
    "plain": plain, "constrained": with_name_constraints, "policies": with_policies,
    "mapping": with_mapping, "cross": with_cross_certificate,
    "cross-only": with_cross_certificate_only, "cross-expired": with_expired_cross_certificate,
}
OCTET_COPIES, OTHER_COPIES = 8, 2


def kinds(draw, first, count):
    """The kinds of key of a chain: mostly one kind, sometimes several."""
    if draw.below(4):
        return [first] * count
    return [draw.pick(KINDS) for _ in range(count)]


def good(draw):
    for shape, change in SHAPES.items():
        for kind in KINDS:
            for count in (2, 3, 4):
                for mixed in (False, True):
                    line = [draw.pick(KINDS) for _ in range(count)] if mixed else [kind] * count
                    chain = Chain(draw, line, shape)
                    change(chain)
                    yield chain, f"{shape}-{'-'.join(line)}"


def suitable(draw, mutation, role, number):
    """Draws a chain that this mutation can be applied to."""
    for attempt in range(100):
        count = 2 + draw.below(3) if role != "ca" else 3 + draw.below(2)
        line = kinds(draw, KINDS[(number + attempt) % len(KINDS)], count)
        shape = "plain" if draw.below(3) else draw.pick(["constrained", "policies", "cross"])
        place = {"leaf": 0, "ca": 1, "root": count - 1}[role]
        signer = line[min(place + 1, count - 1)]
        if mutation.keys and signer not in mutation.keys:
            continue
        chain = Chain(draw, line, shape)
        SHAPES[shape](chain)
        if mutation.change(chain, chain.target(role), draw) is not False:
            return chain, f"{shape}-{'-'.join(line)}"
    raise RuntimeError(f"no chain suits {mutation.name}")


def cases(seed, every=1):
    """Makes every `every`th case. Each has its own source of numbers, so that omitting some
    changes no other."""
    number = 0

    def wanted():
        nonlocal number
        number += 1
        return (number - 1 - every // 2) % every == 0

    draw = Randomness(f"{seed} good")
    for chain, shape in good(draw):
        if wanted():
            yield Case(f"good/{shape}/{number}", shape, "", "", *chain.encoded())
    for mutation in MUTATIONS:
        copies = OCTET_COPIES if mutation.name.startswith("octets.") else OTHER_COPIES
        for role in mutation.roles:
            for copy in range(copies):
                if wanted():
                    draw = Randomness(f"{seed} {mutation.name} {role} {copy}")
                    chain, shape = suitable(draw, mutation, role, copy)
                    yield Case(f"{mutation.name}/{role}/{copy}", shape, mutation.name, role,
                               *chain.encoded())
