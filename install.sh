#!/bin/sh
# Installs fh, or its newest release over an older one, without root: curl -fsSL …/install.sh | sh
#   FH_INSTALL_DIR   the folder for fh; default: ~/.local/bin
#   FH_VERSION       a version such as 1.2.0; default: the newest
#   FH_RELEASE_URL   where the releases are
set -eu

say() { printf '%s\n' "$*"; }
fail() {
  printf 'install.sh: %s\n' "$1" >&2
  [ -z "${2-}" ] || printf '  %s\n' "$2" >&2
  exit 1
}
without_binary='With Node 22.19 or newer: npm i -g filehost'

detect_target() {
  case $(uname -s) in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    *) fail "There is no binary of fh for $(uname -s)" "$without_binary" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) cpu=x64 ;;
    arm64 | aarch64) cpu=arm64 ;;
    *) fail "There is no binary of fh for $(uname -m)" "$without_binary" ;;
  esac
  target=$os-$cpu
  [ $os = linux ] || return 0
  libc=$(ldd --version 2>&1 || true)
  case $libc in
    *musl*) target=$target-musl ;;
    *)
      glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed 's/^glibc //')
      [ -n "$glibc" ] || return 0
      minor=${glibc#2.}
      [ "${minor%%.*}" -ge 17 ] 2>/dev/null ||
        fail "fh needs glibc 2.17 or newer, and this system has $glibc" "$without_binary"
      ;;
  esac
}

# Arguments: the name of a file of the release, where to save it.
download() {
  case ${FH_VERSION:-} in
    '') url=$releases/latest/download/$1 ;;
    *) url=$releases/download/v${FH_VERSION#v}/$1 ;;
  esac
  if command -v curl >/dev/null 2>&1; then
    status=0
    curl -fsSL --retry 2 -o "$2" "$url" || status=$?
    case $status in
      0) return 0 ;;
      22) fail "$url does not exist" "FH_VERSION names a release, FH_RELEASE_URL their address" ;;
      18 | 56) fail "The download of $url broke off" "Nothing was changed: run it again" ;;
      *) fail "$url cannot be reached" "Check the connection and the proxy; nothing was changed" ;;
    esac
  elif command -v wget >/dev/null 2>&1; then
    wget -q -O "$2" "$url" || fail "$url cannot be downloaded" "Check the connection and the proxy; nothing was changed"
  else
    fail "Neither curl nor wget is installed" "Install one of them"
  fi
}

sum_of() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum "$1"
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 "$1"
  else
    openssl dgst -sha256 -r "$1"
  fi | cut -d ' ' -f 1
}

# Argument: the name of a file in SHA256SUMS.
expected_sum() { sed -n "s/^\([0-9a-f]\{64\}\) [ *]$1\$/\1/p" "$work/SHA256SUMS"; }

prepare_folder() {
  mkdir -p "$folder" 2>/dev/null || fail "$folder cannot be made" "Name another folder: FH_INSTALL_DIR=\$HOME/bin"
  work=$(mktemp -d "$folder/.fh-install-XXXXXX" 2>/dev/null) ||
    fail "$folder cannot be written" "Name another folder: FH_INSTALL_DIR=\$HOME/bin"
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM HUP
  printf '#!/bin/sh\n' >"$work/try"
  chmod +x "$work/try"
  "$work/try" 2>/dev/null ||
    fail "Programs in $folder cannot be started: its file system is mounted with noexec" \
      "Name another folder: FH_INSTALL_DIR=/somewhere/else"
  # The name of a variable of fh stands in every binary of it, and in no other program.
  if [ -e "$folder/fh" ] && ! grep -q FH_CONFIG_DIR "$folder/fh" 2>/dev/null; then
    fail "$folder/fh is another program" "Remove it, or name another folder: FH_INSTALL_DIR=\$HOME/bin"
  fi
}

tell_path() {
  first=$(command -v fh 2>/dev/null || true)
  case $first in
    "$folder/fh") ;;
    '')
      say "$folder is not on the PATH. Add it: export PATH=\"$folder:\$PATH\""
      ;;
    *) say "Another fh comes first on the PATH: $first" ;;
  esac
}

main() {
  releases=${FH_RELEASE_URL:-https://github.com/filehost/filehost/releases}
  releases=${releases%/}
  folder=${FH_INSTALL_DIR:-${HOME:?is not set: name a folder with FH_INSTALL_DIR}/.local/bin}
  detect_target
  archive=fh-$target.tar.gz
  prepare_folder

  download SHA256SUMS "$work/SHA256SUMS"
  expected=$(expected_sum "$archive")
  [ -n "$expected" ] || fail "The release has no checksum of $archive: it is not installed" "$without_binary"
  if [ -e "$folder/fh" ] && [ "$(sum_of "$folder/fh")" = "$(expected_sum "fh-$target")" ]; then
    say "fh $("$folder/fh" --version) is installed already: $folder/fh"
    tell_path
    return 0
  fi

  say "Downloading $archive from $releases"
  download "$archive" "$work/$archive"
  found=$(sum_of "$work/$archive")
  [ "$found" = "$expected" ] ||
    fail "$archive is not what the release says, or its download broke off: its checksum is $found, not $expected" \
      "Nothing was changed: run it again; if it stays so, report it"
  say "Its checksum is right: $expected"
  tar -xzf "$work/$archive" -C "$work" fh || fail "$archive cannot be unpacked" "Nothing was changed"
  chmod 755 "$work/fh"
  version=$("$work/fh" --version 2>"$work/errors") ||
    fail "fh does not start on this system: $(head -n 1 "$work/errors")" "Nothing was changed. $without_binary"

  before=
  [ ! -e "$folder/fh" ] || before=$("$folder/fh" --version 2>/dev/null || true)
  mv -f "$work/fh" "$folder/fh"
  if [ -n "$before" ]; then say "fh $before became $version: $folder/fh"; else say "Installed fh $version: $folder/fh"; fi
  tell_path
  [ -n "$before" ] || say 'Next: fh login; to try it without a service: fh emulate -- sh'
}

# Last, so that a script that arrived in part does nothing.
main
