#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# root-tree.sh DIRECTORY JAVA_HOME COMMAND    runs a shell command in a container without a container runtime
#
# The container has its own mounts, processes and IPC, and the caller's network; a root tree in DIRECTORY made of read-only bind mounts
# of /usr, the JDK and the project; /tmp and /dev/shm of its own. The command is user 65534 without capabilities, which it cannot gain.
set -e
root=$1 java=$2 command=$3
project=$(cd "$(dirname "$0")/../../../../.." && pwd)
if [ -z "$CONTAINED" ]; then
    CONTAINED=1 exec unshare --mount --pid --ipc --uts --fork "$0" "$@"
fi
mkdir -p "$root"
mount -t tmpfs -o mode=755 tmpfs "$root"
for each in /usr "$java" "$project" /etc/libibverbs.d; do
    mkdir -p "$root$each"
    mount --rbind "$each" "$root$each"
    mount -o remount,bind,ro "$root$each"
done
for each in bin lib lib64 sbin; do
    ln -s usr/$each "$root/$each"
done
cp /etc/ld.so.cache "$root/etc"
echo 'nobody:x:65534:65534::/tmp:/bin/sh' > "$root/etc/passwd"
mkdir -p "$root/proc" "$root/sys" "$root/tmp" "$root/dev/shm"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t tmpfs -o mode=1777,size=64m tmpfs "$root/dev/shm"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
for each in null zero urandom random; do
    touch "$root/dev/$each"
    mount --bind /dev/$each "$root/dev/$each"
done
exec chroot "$root" /usr/bin/setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs \
    /usr/bin/env -i PATH=/usr/sbin:/usr/bin HOME=/tmp JAVA_HOME="$java" SOFTRDMA_STATE_DIR=/tmp/softrdma SOFTRDMA_NO_BUILD=1 \
    SOFTRDMA_NO_AOT=1 /bin/sh -c "cd '$project' && $command"
