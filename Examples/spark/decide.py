#!/usr/bin/env python3
"""Asks trustlab about many loads, or chains, under Apache Spark's pipe, and says how fast.

usage: decide.py [--program trustlab] [--lines 500000] [--cores N] [--rounds N] [--verify | --apps] [--members NAME…]

Every partition is piped through one 'trustlab ats decide --ndjson' (or 'verify --ndjson'): a request on each line, an
answer on each line, in order. Line 1000 is damaged on purpose: its answer is an error, and nothing else is lost. Spark's
rate for each core stands beside that of as many processes alone, from files to files, on the same lines. The loads are
those of Benchmarks/ats_stream.py, each with settings of its own; with --apps they are of four apps with few settings.
"""

import argparse
import base64
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from ndjson import BAD, check, damaged, load

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "Benchmarks"))
import ats_stream  # noqa: E402


def chains(program, folder):
    """Requests about one chain of the curriculum, for hosts that it is for and that it is not for."""
    subprocess.run([program, "pki", "export", "L1-01", "--output", folder], check=True, stdout=subprocess.DEVNULL)
    chain, roots = [[base64.b64encode((pathlib.Path(folder) / f"{name}.der").read_bytes()).decode() for name in names]
                    for names in (["api", "Issuing"], ["Root-A"])]
    return lambda number: {"id": number, "chain": chain, "roots": roots, "at": "2016-12-01",
                           "host": "api.example" if number % 2 else "other.example"}


def loads():
    """Requests as Benchmarks/ats_stream.py draws them."""
    random.seed(7)
    return lambda number: ats_stream.request(number, ats_stream.dictionary())


def alone(command, sources):
    """The answers of one process for each file, all at once, from files to files."""
    start = time.monotonic()
    processes = [(source.open(), source.with_suffix(".out").open("w")) for source in sources]
    running = [subprocess.Popen(command, stdin=source, stdout=answers) for source, answers in processes]
    assert not any(process.wait() for process in running)
    seconds = time.monotonic() - start
    return [line for source in sources for line in source.with_suffix(".out").read_text().splitlines()], seconds


def under_spark(context, command, sources, output):
    """The answers under Spark's pipe, a partition for each file, from files to files.

    The pipe is that of the JVM: pyspark's `RDD.pipe` does the same, but hands every line to a Python process and back,
    which takes longer than to answer it.
    """
    start = time.monotonic()
    requests = context.union([context.textFile(str(source), 1) for source in sources])._jrdd
    requests.pipe(command).saveAsTextFile(str(output))
    seconds = time.monotonic() - start
    parts = sorted(output.glob("part-*"))
    return [line for part in parts for line in part.read_text().splitlines()], seconds


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--program", default="trustlab")
    parser.add_argument("--lines", type=int, default=500_000)
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=3, help="of which the best counts")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--verify", action="store_true", help="chains instead of loads")
    kind.add_argument("--apps", action="store_true", help="loads of four apps with few settings")
    parser.add_argument("--members", nargs="+", default=[], help="what is wanted of each answer; all, unless said")
    options = parser.parse_args()
    count, cores = options.lines, options.cores
    program = options.program if "/" not in options.program else os.path.abspath(options.program)
    command = [program, "verify" if options.verify else "ats", *([] if options.verify else ["decide"]), "--ndjson"]
    if options.members:
        command += ["--members", *options.members]

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession
    spark = SparkSession.builder.master(f"local[{cores}]").appName("trustlab").config(
        "spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false").config(
        # What collects garbage beside the work takes a core from those who answer.
        "spark.driver.extraJavaOptions", "-XX:+UseParallelGC").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")

    with tempfile.TemporaryDirectory() as folder:
        request = chains(program, folder) if options.verify else load if options.apps else loads()
        lines = damaged(json.dumps(request(number)) for number in range(count))
        sources = [pathlib.Path(folder, f"{core}.in") for core in range(cores)]
        for core, source in enumerate(sources):
            part = lines[count * core // cores:count * (core + 1) // cores]
            source.write_text("".join(line + "\n" for line in part))
        own = piped = float("inf")
        for number in range(options.rounds):
            answers, seconds = alone(command, sources)
            own = min(own, seconds)
            check(answers, count)
            answers, seconds = under_spark(spark.sparkContext, command, sources, pathlib.Path(folder, f"spark{number}"))
            piped = min(piped, seconds)
            check(answers, count)
    spark.stop()

    print(f"trustlab {' '.join(command[1:])}: {count} lines, of which one is damaged, on {cores} cores")
    print(json.dumps(json.loads(answers[BAD])))
    print(f"an answer has {sum(map(len, answers)) // count:,} bytes on average")
    print(f"alone: {count / own / cores:,.0f} lines a second and core")
    print(f"under Spark: {count / piped / cores:,.0f} lines a second and core ({100 * own / piped:.0f} %)")


if __name__ == "__main__":
    sys.exit(main())
