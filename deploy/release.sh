#!/bin/sh
# Builds what is published into dist/, and checks it: sdist, wheel, bill of materials, checksums, container.
# usage: sh deploy/release.sh
# PYTHONS names the interpreters to try ("python3.11 python3.13"); otherwise all that are found.
set -eu
cd "$(dirname "$0")/.."
python=.venv/bin/python

# Every CPython from 3.11 on, once for each version.
find_pythons() {
    seen=""
    for candidate in python3.11 python3.12 python3.13 python3.14 "$HOME"/.pyenv/versions/*/bin/python; do
        version=$("$candidate" -c 'import sys, venv, ensurepip
print("%d.%d" % sys.version_info[:2] if sys.version_info >= (3, 11) else "")' 2>/dev/null) || continue
        case " $seen " in *" $version "*) continue ;; esac
        [ -n "$version" ] || continue
        seen="$seen $version"
        echo "$candidate"
    done
}

"$python" -m pip install -q --disable-pip-version-check -e '.[release]'
rm -rf dist
# The same commit makes the same files.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date +%s)
export SOURCE_DATE_EPOCH
"$python" -m build --outdir dist . >/dev/null
"$python" -m twine check --strict dist/*
"$python" -m check_wheel_contents dist/*.whl

for each in ${PYTHONS:-$(find_pythons)}; do
    sh tests/wheel.sh "$each" dist/*.whl
done
sh tests/wheel.sh "$python" dist/*.tar.gz

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m venv --without-pip "$work/venv"
"$python" -m pip --python "$work/venv/bin/python" install -q --disable-pip-version-check dist/*.whl
"$python" -m cyclonedx_py environment --output-reproducible --output-file dist/sbom.cdx.json "$work/venv/bin/python"

.venv/bin/hadolint deploy/Containerfile
if docker info >/dev/null 2>&1; then
    version=$("$python" -c 'import racing_demon_protocol; print(racing_demon_protocol.__version__)')
    docker build --file deploy/Containerfile --build-arg "RACING_DEMON_VERSION=$version" --tag "racing-demon-server:$version" .
else
    echo "no container image: no Docker runs here; its file passes hadolint"
fi
(cd dist && sha256sum -- * >"$work/SHA256SUMS" && mv "$work/SHA256SUMS" .)
cat dist/SHA256SUMS
