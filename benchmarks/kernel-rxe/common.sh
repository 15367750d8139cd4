# SPDX-License-Identifier: Apache-2.0
# Shared by build and run; source it, do not run it.
# shellcheck shell=sh

# What build makes. May be deleted at any time when nothing runs; the kernel's sources and objects take about 2 GB.
cache=${SOFTRDMA_KERNEL_RXE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/softrdma/kernel-rxe}
kernel=$cache/linux

say() {
    printf 'kernel-rxe: %s\n' "$*" >&2
}

die() {
    say "$*"
    exit 1
}
