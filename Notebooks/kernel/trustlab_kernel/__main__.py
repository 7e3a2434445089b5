"""`python -m trustlab_kernel`: what Jupyter starts; with `install`, tell Jupyter about it.

    python -m trustlab_kernel install            for this user
    python -m trustlab_kernel install --sys-prefix    for this Python environment
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

NAME = "trustlab"

SPECIFICATION = {
    "argv": [sys.executable, "-m", "trustlab_kernel", "-f", "{connection_file}"],
    "display_name": "TrustLab",
    "language": "trustlab",
    "interrupt_mode": "signal",
}


def install(arguments):
    """Writes the kernel's specification where Jupyter looks for it."""
    from jupyter_client.kernelspec import KernelSpecManager

    parser = argparse.ArgumentParser(prog="python -m trustlab_kernel install")
    parser.add_argument("--sys-prefix", action="store_true", help="into this Python environment alone")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "kernel.json").write_text(json.dumps(SPECIFICATION, indent=2) + "\n")
        place = KernelSpecManager().install_kernel_spec(
            folder, NAME, user=not options.sys_prefix, prefix=sys.prefix if options.sys_prefix else None)
    print(f"Jupyter knows the kernel '{NAME}': {place}")


def main():
    if sys.argv[1:2] == ["install"]:
        install(sys.argv[2:])
        return
    from ipykernel.kernelapp import IPKernelApp

    from .kernel import TrustLabKernel

    IPKernelApp.launch_instance(kernel_class=TrustLabKernel)


if __name__ == "__main__":
    main()
