#!/bin/sh
# Eight terminal clients in eight tmux panes on one table, played by a script of keys; to look at.
# Prints what all panes show in the hand and at its end. Needs tmux.   sh tests/lab/panes.sh [ROUNDS]
set -eu
rounds=${1:-6}
cd "$(dirname "$0")/../.."
home=$(mktemp -d)
session=racing-demon-panes-$$
tmux="tmux -L $session"
trap '$tmux kill-server 2>/dev/null || true; rm -rf "$home"' EXIT
run() { echo "env RACING_DEMON_CONFIG=$home/$1 RACING_DEMON_STATE=$home/$1 .venv/bin/racing-demon"; }
all() { for pane in 0 1 2 3 4 5 6 7; do $tmux send-keys -t "$session:$pane" "$@"; done; }
shows() {  # wait until a pane shows something
    for _ in $(seq 300); do
        $tmux capture-pane -p -t "$session:$1" | grep -Eq "$2" && return
        sleep 0.1
    done
    echo "pane $1 does not show $2:" >&2
    $tmux capture-pane -p -t "$session:$1" >&2
    exit 1
}

$tmux new-session -d -s "$session" -x 80 -y 24 \
    "$(run 0) host --port 0 --name Player-1 --option countdown_ms=1000 --option tally_ms=600000"
shows 0 'racing-demon join ws://[^ ]+ [A-Z]{4}'
join=$($tmux capture-pane -p -t "$session:0" | sed -nE 's/.*(join ws:[^ ]+ [A-Z]{4}).*/\1/p' | head -1)
for number in 1 2 3 4 5 6 7; do
    $tmux new-window -d -t "$session:$number" "$(run "$number") $join --name Player-$((number + 1))"
    shows "$number" "Player-$((number + 1))"
done
for pane in 1 2 3 4 5 6 7; do $tmux send-keys -t "$session:$pane" Enter; done
shows 0 'Player-8 +ready'
$tmux send-keys -t "$session:0" Enter
shows 7 'play!'
for _ in $(seq "$rounds"); do
    for keys in wrueioq Space ';;' aassddff jjkkll Space p; do
        all "$keys"
        sleep 0.2
    done
done
for pane in 0 3 7; do $tmux capture-pane -p -t "$session:$pane"; done
all v
for pane in 0 1 2 3 4 5 6 7; do shows "$pane" 'Checked: the promise is kept'; done
for pane in 0 7; do $tmux capture-pane -p -t "$session:$pane"; done
