#!/bin/sh
# Makes new passwords for the broker's three accounts.
#
#   make-passwords.sh DIRECTORY [BROKER [SERVER]]
#
# DIRECTORY/passwords     what the broker reads: hashes only
# DIRECTORY/server, DIRECTORY/watcher, DIRECTORY/homeassistant     one password each
#
# BROKER and SERVER are the users, by name or number, who may read the first file, and the server's password.
set -eu
directory=${1:?"usage: make-passwords.sh DIRECTORY [BROKER [SERVER]]"}
umask 077
mkdir -p "$directory"
cd "$directory"
rm -f passwords server watcher homeassistant
for account in server watcher homeassistant; do
    password=$(head -c 24 /dev/urandom | base64 | tr '+/' '-_')
    printf '%s\n' "$password" >"$account"
    printf '%s:%s\n' "$account" "$password" >>passwords
done
mosquitto_passwd -U passwords # replaces each password by its hash
if [ $# -ge 2 ]; then chown "$2" passwords; fi
if [ $# -ge 3 ]; then chown "$3" server; fi
chmod 400 passwords server watcher homeassistant
