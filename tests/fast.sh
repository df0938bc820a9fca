#!/bin/sh
# Builds a compiled wheel, installs it into an environment of its own, and runs tests of what is compiled there.
# usage: sh tests/fast.sh [TEST ...]
set -eu
tests=${*:-tests/protocol tests/server}
echo "Compiling: some minutes."
rm -rf dist/fast
RACING_DEMON_COMPILE=1 .venv/bin/python -m build --wheel --outdir dist/fast . >.venv/fast.log 2>&1 || {
    tail -20 .venv/fast.log
    echo "Compiling needs a C compiler and Python's headers (on Debian: gcc and python3-dev)."
    exit 1
}
wheel=$(echo dist/fast/*.whl)
.venv/bin/python -m venv --clear .venv-fast
.venv-fast/bin/python -m pip install -q --disable-pip-version-check -c constraints.txt "$wheel[dev]"
# shellcheck disable=SC2086 # they are several
.venv-fast/bin/python -m pytest -q -m "not long" -n 3 --dist worksteal -p no:cacheprovider $tests
