#!/bin/sh
# Says what is wrong with the setup of a service, as its user and with its arguments, and starts nothing.
#
#   rd-check        of the server of racing-demon-server.service
#   rd-check n1     of racing-demon-server@n1.service, one of several
set -eu
folder=/etc/racing-demon
if [ $# -eq 0 ]; then
    # Its folder stays that user's.
    set -- --property=User=racing-demon-server --property=StateDirectory=racing-demon \
        --property=EnvironmentFile=-$folder/server.env
    # shellcheck disable=SC2016 # the service's shell has these
    arguments='$RACING_DEMON_OPTIONS $RACING_DEMON_SITE $RACING_DEMON_BROKER'
else
    # shellcheck disable=SC2016
    arguments="--node $1"' --journal "$RACING_DEMON_JOURNAL" $RACING_DEMON_OPTIONS $RACING_DEMON_OWN
        --cluster-key "$CREDENTIALS_DIRECTORY/secrets_cluster-key"'
    set -- --property=EnvironmentFile=$folder/cluster.env --property=EnvironmentFile=-$folder/"$1".env
fi
# Secrets are in a folder of the unit that runs, which is not the service's here.
exec systemd-run --quiet --pipe --wait --collect --property=DynamicUser=yes \
    --property=LoadCredential=secrets:$folder/secrets --setenv=RACING_DEMON_DATA=/var/lib/racing-demon "$@" \
    /bin/sh -fc "arguments=\$(echo $(echo "$arguments" | tr '\n' ' ') |
        sed \"s|/run/credentials/[^/]*|\$CREDENTIALS_DIRECTORY|g\")
        exec /opt/racing-demon/bin/racing-demon-server --check \$arguments"
