#!/usr/bin/env python3
"""Sends many loads, or chains, to trustlab through Apache Spark's pipe, and prints the speed.

usage: decide.py [--program trustlab] [--lines 500000] [--cores N] [--rounds N] [--verify | --apps] [--members NAME…]

Spark pipes each partition through one 'trustlab ats decide --ndjson' (or 'verify --ndjson'). Each line is a request,
and each line of the result is its answer, in order. Line 1000 is damaged on purpose: its answer is an error, and all
other answers are complete. For comparison, the script also runs the same number of processes without Spark, from files
to files, on the same lines. It prints the speed of both for each core. The loads are those of Benchmarks/ats_stream.py,
each with its own settings. With --apps they are from four apps with few settings.
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
    """Returns requests about one chain of the curriculum, alternately for its own host and for another."""
    subprocess.run([program, "pki", "export", "L1-01", "--output", folder], check=True, stdout=subprocess.DEVNULL)
    chain, roots = [[base64.b64encode((pathlib.Path(folder) / f"{name}.der").read_bytes()).decode() for name in names]
                    for names in (["api", "Issuing"], ["Root-A"])]
    return lambda number: {"id": number, "chain": chain, "roots": roots, "at": "2016-12-01",
                           "host": "api.example" if number % 2 else "other.example"}


def loads():
    """Returns the requests of Benchmarks/ats_stream.py."""
    random.seed(7)
    return lambda number: ats_stream.request(number, ats_stream.dictionary())


def alone(command, sources):
    """Runs one process for each file, in parallel, and returns the answers and the seconds."""
    start = time.monotonic()
    processes = [(source.open(), source.with_suffix(".out").open("w")) for source in sources]
    running = [subprocess.Popen(command, stdin=source, stdout=answers) for source, answers in processes]
    assert not any(process.wait() for process in running)
    seconds = time.monotonic() - start
    return [line for source in sources for line in source.with_suffix(".out").read_text().splitlines()], seconds


def under_spark(context, command, sources, output):
    """Runs Spark's pipe with one partition for each file, and returns the answers and the seconds.

    Uses the JVM's pipe, because pyspark's `RDD.pipe` passes every line to a Python process and back, which takes longer
    than the answer.
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
    parser.add_argument("--rounds", type=int, default=3, help="number of rounds; the best one counts")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--verify", action="store_true", help="chains instead of loads")
    kind.add_argument("--apps", action="store_true", help="loads of four apps with few settings")
    parser.add_argument("--members", nargs="+", default=[], help="the members to print of each answer; by default all")
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
        # A concurrent garbage collector would take a core from the processes that answer.
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

    print(f"trustlab {' '.join(command[1:])}: {count} lines, one of them damaged, on {cores} cores")
    print(json.dumps(json.loads(answers[BAD])))
    print(f"an answer has {sum(map(len, answers)) // count:,} bytes on average")
    print(f"alone: {count / own / cores:,.0f} lines a second and core")
    print(f"under Spark: {count / piped / cores:,.0f} lines a second and core ({100 * own / piped:.0f} %)")


if __name__ == "__main__":
    sys.exit(main())
