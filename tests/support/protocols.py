"""Runs a program of ours with another version of the protocol: ``python -m`` this, VERSION MODULE ARGUMENTS.

Versions differ in their number alone here: who meets the other one must not get as far as to a message.
"""

import runpy
import sys

from racing_demon_protocol.wire import codec

if __name__ == "__main__":
    _, version, module, *arguments = sys.argv
    codec.VERSION = int(version)  # type: ignore[misc]
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__")
