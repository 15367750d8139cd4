#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# two-hosts.sh SERVER CLIENT    two hosts with a wire between them, without privileges:
#   setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all --no-new-privs unshare -U -r -n -m two-hosts.sh …
#
# Each host is a network namespace with a device rxe0 and a daemon of its own; both commands run under `softrdma run`. The server's
# address is 10.98.0.2.
set -e
cd "$(dirname "$0")/../../../../.."
state=$(mktemp -d)
unshare -n sleep 600 &
second=$!
end() {
    first_host ./softrdma daemon stop
    second_host ./softrdma daemon stop
    kill $second
    rm -rf "$state"
}
trap end EXIT
until nsenter -t $second -n ip link show lo 2> /dev/null | grep -q DOWN; do sleep 0.1; done

first_host() {
    SOFTRDMA_STATE_DIR=$state/first "$@"
}

second_host() {
    SOFTRDMA_STATE_DIR=$state/second nsenter -t $second -n "$@"
}

ip link set lo up
ip link add wire type veth peer name wire netns $second
add_address() {
    "$1" ip addr add "$2/24" dev wire
    "$1" ip link set wire up
}
add_address first_host 10.98.0.1
add_address second_host 10.98.0.2
first_host ./softrdma rdma link add rxe0 type rxe netdev wire
second_host ./softrdma rdma link add rxe0 type rxe netdev wire
second_host ./softrdma run -- $1 > "$state/server" 2>&1 &
server=$!
# The client may come before the server listens.
attempts=0
until first_host ./softrdma run -- $2; do
    attempts=$((attempts + 1))
    if [ $attempts -ge 20 ] || ! kill -0 $server; then
        cat "$state/server"
        exit 1
    fi
    sleep 1
done
wait $server
cat "$state/server"
