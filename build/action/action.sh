#!/usr/bin/env bash
# The steps of action.yml, each a word: key, install, upload, emulate.
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

# FILES has a path or a pattern in each line. Links that were printed stay outputs if some files fail.
upload() {
  local files=() code=0 json
  while IFS= read -r line; do [ -z "$line" ] || files+=("$line"); done <<<"$FILES"
  [ ${#files[@]} -gt 0 ] || { echo "The input files names no file" >&2; exit 2; }
  json=$("$FH_INSTALL_DIR/fh" upload --json -- "${files[@]}") || code=$?
  output json "$json"
  [ -n "$json" ] || return "$code"
  local stored='.[] | select(.upload != null)'
  local label='(.file | split("/") | last | gsub("(?<c>[\\[\\]`<\\\\|])"; "\\\(.c)"))'
  output links "$(jq -r "$stored | .upload.direct_url" <<<"$json")"
  output markdown "$(jq -r "$stored"' | .upload as $u | if $u.mime_type | startswith("video/")
    then "[\('"$label"')](\($u.url))" else "![\('"$label"')](\($u.direct_url))" end' <<<"$json")"
  return "$code"
}

# Starts the emulator for the steps that follow; it ends with the job.
emulate() {
  local log=$RUNNER_TEMP/fh-emulate.log url=http://127.0.0.1:${PORT:-4884}
  # shellcheck disable=SC2086 # FLAGS has several words.
  nohup "$FH_INSTALL_DIR/fh" emulate --port "${PORT:-4884}" ${FLAGS:-} >"$log" 2>&1 &
  printf '%s\n' $! >"$RUNNER_TEMP/fh-emulate.pid"
  "$FH_INSTALL_DIR/fh" emulate wait "$url" || { cat "$log" >&2; exit 5; }
  "$FH_INSTALL_DIR/fh" emulate env "$url" --shell sh | sed -n "s/^export \([A-Z_]*\)='\(.*\)'$/\1=\2/p" >>"$GITHUB_ENV"
  output base-url "$url"
}

"$1"
