# Shared by the lab's scripts; source it, do not run it.
# shellcheck shell=bash

LAB_HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# Debian release of the guest: bookworm, with kernel 6.1, or a later one.
LAB_SUITE=${SOFTRDMA_LAB_SUITE:-bookworm}
# Output of `build`: guest root, kernel, initrd. May be deleted while no guest runs.
LAB_DIR=${SOFTRDMA_LAB_DIR:-/var/tmp/softrdma-lab}
[[ $LAB_SUITE == bookworm ]] || LAB_DIR=$LAB_DIR/$LAB_SUITE
# State of running labs, one directory for each.
LAB_RUN=${SOFTRDMA_LAB_RUN:-/run/softrdma-lab}
export LAB_HERE LAB_DIR LAB_RUN

HOST_SUITE=bookworm

say() { printf 'lab: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# Mirror and proxy of apt's configuration, which debootstrap does not read.
mirror() {
  apt-get indextargets --format '$(REPO_URI)|$(CODENAME)|$(COMPONENT)|$(ORIGIN)' 'Created-By: Packages' |
    awk -F'|' -v s="$HOST_SUITE" '$2 == s && $3 == "main" && $4 == "Debian" { print $1; exit }'
}
use_apt_proxy() {
  local http=''
  eval "$(apt-config shell http Acquire::http::Proxy)"
  if [[ -n $http && $http != DIRECT ]]; then export http_proxy=${http_proxy:-$http}; fi
}

need_root() { [[ $(id -u) == 0 ]] || die "needs root (namespaces, tap devices, debootstrap)"; }

# Checks a NAME, which becomes part of file names and of a namespace name.
check_name() {
  [[ $1 =~ ^[A-Za-z0-9][A-Za-z0-9_-]{0,30}$ ]] || die "bad lab name '$1': letters, digits, - and _, at most 31"
}

netns_of() { printf 'srdma-%s' "$1"; }
state_of() { printf '%s/%s' "$LAB_RUN" "$1"; }

# Prints the state of a process, one letter of proc(5), or nothing after its end.
process_state() {
  local stat
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
  stat=${stat##*) }
  printf '%s' "${stat%% *}"
}

# Prints "PID STARTTIME", which identifies a process uniquely; a pid alone may be reused by another process.
proc_id() {
  local stat
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
  # The command name, field 2, may contain spaces; the text after its ')' is safe to split.
  read -ra stat <<<"${stat##*) }"
  [[ ${stat[0]} != Z ]] || return 1
  printf '%s %s\n' "$1" "${stat[19]}"
}

# proc_alive FILE: whether the process identified by FILE's "PID STARTTIME" still runs.
proc_alive() {
  local pid start
  read -r pid start 2>/dev/null <"$1" || return 1
  [[ "$(proc_id "$pid")" == "$pid $start" ]]
}

# proc_stop FILE [SECONDS]: sends TERM, and KILL after SECONDS, to the process identified by FILE and no other.
proc_stop() {
  local pid deadline=$((SECONDS + ${2:-5}))
  proc_alive "$1" || return 0
  read -r pid _ <"$1"
  kill -TERM "$pid" 2>/dev/null || true
  while proc_alive "$1"; do
    if ((SECONDS >= deadline)); then kill -KILL "$pid" 2>/dev/null || true; sleep 0.2; break; fi
    sleep 0.1
  done
}
