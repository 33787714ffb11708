#!/usr/bin/env bash
# Installs the Debian packages of the named sections of debian-packages.txt that are missing.
# Usage: install-packages.sh build [plot] [test] [bench]
set -euo pipefail
list="$(dirname "$0")/debian-packages.txt"

wanted=()
for section in "$@"; do
  mapfile -t found < <(awk -v want="[$section]" '/^\[/ {on = ($0 == want); next} on && NF && !/^#/' "$list")
  [ "${#found[@]}" -gt 0 ] || { echo "no section '$section' in $list" >&2; exit 2; }
  wanted+=("${found[@]}")
done

missing=()
for package in "${wanted[@]}"; do
  dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
[ "${#missing[@]}" -eq 0 ] && exit 0

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
echo "installing: ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -q >&2
"${as_root[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}" >&2
