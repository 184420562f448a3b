#!/usr/bin/env bash
# The steps of action.yml, each a word: key, install, upload, emulate. Inputs come as variables, and are never part of a script.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
releases=${FH_RELEASE_URL:-https://github.com/filehost/filehost/releases}
export FH_INSTALL_DIR=${FH_INSTALL_DIR:-$RUNNER_TEMP/fh/bin}

# Arguments: a name, a text of any number of lines.
output() {
  local end="end-$RANDOM$RANDOM$RANDOM"
  printf '%s<<%s\n%s\n%s\n' "$1" "$end" "$2" "$end" >>"$GITHUB_OUTPUT"
}

# The cache is named by the checksums of the release: a new release is another cache.
key() {
  local place=latest/download sums
  [ -z "${FH_VERSION:-}" ] || place=download/v${FH_VERSION#v}
  sums=$(curl -fsSL --retry 2 "$releases/$place/SHA256SUMS")
  output key "fh-$RUNNER_OS-$RUNNER_ARCH-$(printf '%s' "$sums" | cksum | tr ' ' '-')"
  output folder "$FH_INSTALL_DIR"
}

install() {
  if [ "$RUNNER_OS" = Windows ]; then
    powershell -NoProfile -ExecutionPolicy Bypass -File "$here/../../install.ps1"
  else
    sh "$here/../../install.sh"
  fi
  printf '%s\n' "$FH_INSTALL_DIR" >>"$GITHUB_PATH"
}

words=()
# Adds a word for each line of a text. Arguments: what the word begins with, the text.
each() {
  local line
  while IFS= read -r line; do [ -z "$line" ] || words+=("$1$line"); done <<<"$2"
}

# Uploads FILES, a path or a pattern in each line. Links that were printed stay outputs if some files fail.
upload() {
  local flags code printed=$RUNNER_TEMP/fh-upload.json json
  [ -z "${BASE_URL:-}" ] || export FH_BASE_URL=$BASE_URL
  if [ -n "${API_KEY:-}" ]; then
    export FH_API_KEY=$API_KEY
    unset FH_API_KEY_FILE
  # Where the secret is missing, fh refuses the empty key instead of taking one that this machine has stored.
  elif [ -z "${FH_API_KEY_FILE:-}" ]; then
    export FH_API_KEY=${FH_API_KEY:-}
  fi
  words=(--json)
  [ "${RECURSIVE:-}" != true ] || words+=(--recursive)
  [ "${FORCE:-}" != true ] || words+=(--force)
  each --include= "${INCLUDE:-}"
  each --exclude= "${EXCLUDE:-}"
  each --max-wait= "${MAX_WAIT:-}"
  each --jobs= "${JOBS:-}"
  words+=(--)
  flags=${#words[@]}
  each '' "$FILES"
  [ "${#words[@]}" -gt "$flags" ] || { echo "The input files names no file" >&2; exit 2; }
  set +e
  "$FH_INSTALL_DIR/fh" upload "${words[@]}" 2>&1 >"$printed" | made log -R --unbuffered
  code=${PIPESTATUS[0]}
  set -e
  output exit-code "$code"
  json=$(<"$printed")
  output json "$json"
  [ -n "$json" ] || return "$code"
  output links "$(made links <<<"$json")"
  output markdown "$(made markdown <<<"$json")"
  made summary <<<"$json" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
  return "$code"
}

# What action.jq makes of standard input. Arguments: a name in it, flags of jq.
made() {
  jq -r -L "$here" "${@:2}" "include \"action\"; $1"
}

# Starts the emulator for the steps that follow; it ends with the job.
emulate() {
  local log=$RUNNER_TEMP/fh-emulate.log url=http://127.0.0.1:${PORT:-4884} flags=()
  # Words without quotes and patterns.
  IFS=$' \t\n' read -r -d '' -a flags <<<"${FLAGS:-}" || true
  nohup "$FH_INSTALL_DIR/fh" emulate --port "${PORT:-4884}" ${flags[@]+"${flags[@]}"} >"$log" 2>&1 &
  printf '%s\n' $! >"$RUNNER_TEMP/fh-emulate.pid"
  "$FH_INSTALL_DIR/fh" emulate wait "$url" || { cat "$log" >&2; exit 5; }
  "$FH_INSTALL_DIR/fh" emulate env "$url" --shell sh | sed -n "s/^export \([A-Z_]*\)='\(.*\)'$/\1=\2/p" >>"$GITHUB_ENV"
  output base-url "$url"
}

"$1"
