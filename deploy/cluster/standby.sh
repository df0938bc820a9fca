#!/bin/sh
# Starts a standby of PostgreSQL: copies the primary the first time, then follows it. For the postgres image.
# usage: PRIMARY=host STANDBY=name standby.sh postgres [options]
set -eu
data=${PGDATA:-/var/lib/postgresql/data}
PGPASSWORD=$(cat "$POSTGRES_PASSWORD_FILE")
export PGPASSWORD
if [ ! -s "$data/PG_VERSION" ]; then
    until pg_basebackup --host="$PRIMARY" --username="$POSTGRES_USER" --pgdata="$data" --wal-method=stream \
        --checkpoint=fast; do
        echo "standby: the primary does not answer yet" >&2
        sleep 2
    done
    chmod 700 "$data"
    touch "$data/standby.signal"
fi
# The password stays in the environment, where PostgreSQL's library finds it.
exec "$@" -c "primary_conninfo=host=$PRIMARY user=$POSTGRES_USER application_name=$STANDBY"
