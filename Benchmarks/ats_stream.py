#!/usr/bin/env python3
"""Measures 'ats decide --ndjson': its loads per second and core, and its memory.

usage: ats_stream.py [--program .build/release/trustlab] [--lines 300000] [--dictionaries N]

Every line is a different request. Hosts, systems, loaders and dictionaries of one to four domains are drawn with a
fixed seed. With --dictionaries N the lines share N dictionaries, like loads of a few apps.
"""

import argparse
import json
import os
import random
import subprocess
import tempfile

HOSTS = ["api.example.com", "www.apple.com", "cdn.example.org", "printer", "nas.local", "10.0.0.7", "192.168.1.20",
         "[2001:db8::1]", "127.0.0.1", "a.b.c.example.net", "xn--bcher-kva.example", "example.com"]
SYSTEMS = ["iOS 8", "iOS 9", "iOS 10", "iOS 12", "iOS 13", "iOS 14.5", "iOS 15.4", "iOS 17", "iOS 18.4", "macOS 10.13",
           "macOS 11", "macOS 14", "macOS 15.4", "doc", "iOS 26"]
LOADERS = ["URLSession", "WKWebView", "AVFoundation", "NSURLConnection"]
DOMAINS = ["example.com", "example.org", "cdn.example.org", "10.0.0.0/8", "printer"]


def maybe(chance, key, *values):
    """Returns a member with one of these values, or none."""
    return {key: random.choice(values)} if random.random() < chance else {}


def entry():
    return {**maybe(0.5, "NSExceptionAllowsInsecureHTTPLoads", True, True, False),
            **maybe(0.3, "NSExceptionMinimumTLSVersion", "TLSv1.0", "TLSv1.1", "TLSv1.2", "TLSv1.3"),
            **maybe(0.3, "NSExceptionRequiresForwardSecrecy", False), **maybe(0.5, "NSIncludesSubdomains", True)}


def dictionary():
    domains = [random.choice(DOMAINS + [f"d{random.randrange(10 ** 6)}.example.net"])
               for _ in range(random.randrange(1, 5))]
    return {**maybe(0.3, "NSAllowsArbitraryLoads", True, True, False), **maybe(0.2, "NSAllowsLocalNetworking", True),
            **maybe(0.2, "NSAllowsArbitraryLoadsInWebContent", True),
            **maybe(0.6, "NSExceptionDomains", {domain: entry() for domain in domains})}


def request(number, ats):
    host = random.choice(HOSTS)
    if "." in host and host[0].isalpha() and random.random() < 0.3:
        host = f"h{random.randrange(10 ** 5)}.{host}"
    url = f"{random.choice(['http', 'https'])}://{host}{random.choice(['/', '/a?b=c', ':8443/x'])}"
    return {"id": number, "url": url, **maybe(0.9, "os", *SYSTEMS), **maybe(0.4, "loader", *LOADERS),
            **maybe(0.1, "linkedSDK", *SYSTEMS[:12]), **({"ats": ats} if random.random() < 0.8 else {})}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--program", default=".build/release/trustlab")
    parser.add_argument("--lines", type=int, default=300_000)
    parser.add_argument("--dictionaries", type=int)
    options = parser.parse_args()
    random.seed(7)
    shared = [dictionary() for _ in range(options.dictionaries or 0)]
    with tempfile.TemporaryFile() as requests, open(os.devnull, "wb") as nowhere:
        for number in range(options.lines):
            ats = random.choice(shared) if shared else dictionary()
            requests.write(json.dumps(request(number, ats)).encode() + b"\n")
        requests.seek(0)
        process = subprocess.Popen([options.program, "ats", "decide", "--ndjson"], stdin=requests, stdout=nowhere)
        _, status, usage = os.wait4(process.pid, 0)
    seconds = usage.ru_utime + usage.ru_stime
    print(f"{options.lines} lines in {seconds:.2f} s of CPU time: {options.lines / seconds:.0f} a second and core, "
          f"{usage.ru_maxrss // 1024} MB")
    return status


if __name__ == "__main__":
    raise SystemExit(main())
