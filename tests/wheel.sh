#!/bin/sh
# Installs the wheel in a fresh environment outside the checkout, and plays a hand there.
# usage: sh tests/wheel.sh [PYTHON [FILE]]     FILE is a wheel or an sdist; without one the wheel is built
set -eu
root=$(pwd)
python=${1:-$root/.venv/bin/python}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ $# -gt 1 ]; then
    file=$(realpath "$2")
else
    "$root/.venv/bin/python" -m build --wheel --outdir "$work/dist" "$root" >"$work/build.log" 2>&1 || {
        cat "$work/build.log"
        exit 1
    }
    file=$(echo "$work"/dist/*.whl)
fi
version=$("$python" --version)
"$python" -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q --disable-pip-version-check "$file"
cd "$work"
unset PYTHONPATH
venv/bin/racing-demon --help >/dev/null
venv/bin/racing-demon-server --help >/dev/null
# The program says the version that the file's name has.
case $(basename "$file" | tr - _) in
racing_demon_"$(venv/bin/racing-demon --version | sed 's/^[^0-9]*//; s/ .*//')"[_.]*) ;;
*)
    echo "$(basename "$file") says: $(venv/bin/racing-demon --version)" >&2
    exit 1
    ;;
esac
# What minifying has left of the page is still JavaScript; where Node.js is, it says so.
if command -v node >/dev/null; then
    find venv/lib -path '*/racing_demon_web/*.js' | while read -r script; do
        cp "$script" script.mjs
        node --check script.mjs
    done
fi
venv/bin/racing-demon play --watch --bots 4 --hands 1 --speed 200 --json </dev/null >match.jsonl
venv/bin/racing-demon verify match.jsonl
echo "$(basename "$file") plays with $version"
