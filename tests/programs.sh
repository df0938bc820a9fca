#!/bin/sh
# The programs that some tests need and no Python package has: a real broker, and TLS in front of a table, are
# started with the files in deploy/. Installs what is missing where it may (root, apt-get), else says what to do.
PATH="$PATH:/usr/sbin"
missing=""
command -v mosquitto >/dev/null || missing="$missing mosquitto"
command -v mosquitto_pub >/dev/null || missing="$missing mosquitto-clients"
command -v nginx >/dev/null || missing="$missing nginx-light"
command -v openssl >/dev/null || missing="$missing openssl"
command -v ip >/dev/null || missing="$missing iproute2"
command -v nft >/dev/null || missing="$missing nftables"
[ "$(uname)" != Linux ] || command -v strace >/dev/null || missing="$missing strace"
[ -z "$missing" ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing for the tests:$missing"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing >/dev/null
else
    echo "Some tests will fail without these programs; install them with your system's packages:$missing" >&2
fi
