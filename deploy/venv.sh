#!/bin/sh
# Installs the project into .venv with the first Python that will do.
# usage: sh deploy/venv.sh [EXTRA]      the variable PYTHON names one to use
set -eu
cd "$(dirname "$0")/.."
extra=${1:-}

if [ -n "${PYTHON:-}" ]; then
    set -- "$PYTHON"
else
    set -- python3 python3.13 python3.12 python3.11 python
fi
python=""
found=""
for candidate; do
    # Debian has Pythons without ensurepip: they cannot make an environment that has pip.
    told=$("$candidate" -c 'import sys
try:
    import ensurepip, venv
    lacks = "" if sys.version_info >= (3, 11) else " (too old)"
except ImportError:
    lacks = " (without venv)"
print("%s %d.%d%s" % ("no" if lacks else "ok", sys.version_info[0], sys.version_info[1], lacks))' 2>/dev/null) || continue
    case "$told" in
    ok*)
        python=$candidate
        break
        ;;
    esac
    told=${told#no }
    case ", $found," in *", $told,"*) ;; *) found="${found:+$found, }$told" ;; esac
done
if [ -z "$python" ]; then
    cat >&2 <<END
Racing Demon needs Python 3.11 or newer with its venv module. Found here: ${found:-no Python}.
Install one (on Debian and Ubuntu: sudo apt install python3.11 python3.11-venv) and try again.
If you have one elsewhere, name it: make play PYTHON=/path/to/python3.12
END
    exit 1
fi

# An environment without a mark was left by a set-up that failed.
if [ ! -e .venv/.playable ] && [ ! -e .venv/.installed ] || ! .venv/bin/python -c '' 2>/dev/null; then
    "$python" -m venv --clear .venv
fi
echo "Setting up .venv: half a minute, the first time only."
# uv is quicker where it is there and reaches a registry; pip always does.
if ! { command -v uv >/dev/null &&
    uv pip install -q --python .venv/bin/python -c constraints.txt -e ".${extra:+[$extra]}" 2>/dev/null; }; then
    .venv/bin/python -m pip install -q --disable-pip-version-check -c constraints.txt -e ".${extra:+[$extra]}"
fi
touch .venv/.playable
[ -z "$extra" ] || touch .venv/.installed
