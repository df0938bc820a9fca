#!/bin/sh
# Makes a private authority, and with it a certificate for the broker. Run it again to renew the certificate.
#
#   make-certificates.sh DIRECTORY NAME...
#
# Each NAME is one that clients use for the broker: a host name, or an address such as 192.168.1.5.
# ca.key can make certificates that your clients trust: keep it elsewhere once this is done.
set -eu
usage="usage: make-certificates.sh DIRECTORY NAME..."
directory=${1:?$usage}
: "${2:?$usage}"
shift
names=
for name in "$@"; do
    case $name in
        *:*) kind=IP ;;
        *[!0-9.]*) kind=DNS ;;
        *) kind=IP ;;
    esac
    names="$names${names:+,}$kind:$name"
done
umask 077
mkdir -p "$directory"
cd "$directory"
curve="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc"
if [ ! -e ca.key ]; then
    # shellcheck disable=SC2086 # several words are meant
    openssl req -x509 $curve -keyout ca.key -out ca.crt -days 3650 -subj "/CN=Racing Demon private authority" \
        -addext "basicConstraints=critical,CA:TRUE,pathlen:0" -addext "keyUsage=critical,keyCertSign,cRLSign"
fi
# shellcheck disable=SC2086
openssl req $curve -keyout broker.key -out broker.csr -subj "/CN=Racing Demon broker"
printf '%s\n' "subjectAltName=$names" "basicConstraints=critical,CA:FALSE" \
    "keyUsage=critical,digitalSignature" "extendedKeyUsage=serverAuth" >broker.ext
openssl x509 -req -in broker.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 825 -sha256 \
    -extfile broker.ext -out broker.crt
rm -f broker.csr broker.ext
chmod 444 ca.crt broker.crt
chmod 755 . # the broker looks for its own files here; keys are for their owner only
