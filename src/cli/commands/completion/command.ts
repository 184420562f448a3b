import { Argument, type Command } from 'commander'
import { mediaTypes } from '../../../protocol/media-types.ts'
import { readSetting } from '../../config/settings.ts'
import type { Context, Start } from '../../context/context.ts'
import { printable } from '../../format/format.ts'
import { type Suggestion, type Suggestions, suggest } from './suggest.ts'

export function register(command: Command, start: Start): void {
  command
    .description('Print a script that makes a shell complete commands, flags and their values.')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    // The script passes the typed words as further arguments, which the help does not mention.
    .allowExcessArguments()
    .addHelpText('after', examples)
    .action((shell: Shell) => start((context) => complete(shell, command.args.slice(1), context)))
}

const examples = `
Suggests commands, flags, their values, pictures and videos to upload, and what
was uploaded from here; sends no requests.

Examples:
  fh completion zsh > ~/.zfunc/_fh
  eval "$(fh completion bash)"
  fh completion fish > ~/.config/fish/completions/fh.fish
  fh completion powershell | Out-String | Invoke-Expression`

/** @param words those typed so far, as the shell's script passes them; empty = print that script */
async function complete(shell: Shell, words: readonly string[], context: Context): Promise<void> {
  const text = words.length === 0 ? completionScripts[shell] : await answer(shell, words, context)
  context.print({ data: { shell, text }, text })
}

async function answer(shell: Shell, marked: readonly string[], context: Context): Promise<string> {
  const words = readWords(shell, marked)
  const known = { profiles: context.config.profileNames, uploads: () => uploadsFromHere(context) }
  const suggestions = await suggest(await context.describeProgram(words), words, known)
  return presentSuggestions(shell, suggestions, partBeforeCursor(shell, marked))
}

/** More would scroll the line away that is being typed. */
const MOST_UPLOADS = 50

/** Slugs that a shell takes as they are: a service may send any text. */
async function uploadsFromHere({ settings, io }: Context): Promise<readonly Suggestion[]> {
  const baseUrl = readSetting(settings(), 'base_url')
  if (baseUrl === undefined) return []
  const { newestNames } = await import('../../../uploads/names.ts')
  const all = [...newestNames(baseUrl, io.env, 4 * MOST_UPLOADS)].filter(([slug]) => /^[\w-]+$/.test(slug))
  return all.slice(0, MOST_UPLOADS).map(([value, name]) => ({ value, description: printable(name) }))
}

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const

export type Shell = (typeof shells)[number]

/** The scripts put this before every word, so that no word is empty or looks like a flag. */
const MARK = '='

/** The words typed so far, from the arguments of a shell's script. */
export function readWords(shell: Shell, marked: readonly string[]): readonly string[] {
  const words = marked.map((word) => (word.startsWith(MARK) ? word.slice(MARK.length) : word))
  return shell === 'bash' ? joinAssignments(words) : words
}

/** Bash splits words at = and :, so that `--format=url` is three words; the last may be missing. */
function joinAssignments(words: readonly string[]): readonly string[] {
  const joined: string[] = []
  for (const [index, word] of words.entries()) {
    const belongs = isBreak(word) || isBreak(words[index - 1] ?? '')
    if (belongs && joined.length > 0) joined[joined.length - 1] = `${joined.at(-1)}${word}`
    else joined.push(word)
  }
  return joined
}

function isBreak(word: string): boolean {
  return /^[=:]+$/.test(word)
}

/** What the shell holds for words before the one it completes: `--format=` for bash, which replaces only what follows. */
export function partBeforeCursor(shell: Shell, marked: readonly string[]): string {
  const last = marked.at(-1)?.slice(MARK.length) ?? ''
  const whole = readWords(shell, marked).at(-1) ?? ''
  return isBreak(last) ? whole : whole.slice(0, whole.length - last.length)
}

/**
 * The output that a shell's script expects: a line `words`, `files`, `media` or `folders`, then one line per word: the
 * word, a tab and its description; for `media` one line per extension.
 *
 * @param before the part of each word that the shell keeps
 */
export function presentSuggestions(shell: Shell, suggestions: Suggestions, before: string): string {
  if (suggestions === 'media') {
    // Bash compares the case of letters.
    const capitals = shell === 'bash' ? extensions.map((one) => one.toUpperCase()) : []
    return [suggestions, ...extensions, ...capitals].join('\n')
  }
  if (typeof suggestions === 'string') return suggestions
  const lines = suggestions.map(({ value, description }) => {
    const shown = shell === 'bash' && value.startsWith(before) ? value.slice(before.length) : value
    return description === '' ? shown : `${shown}\t${description}`
  })
  return ['words', ...lines].join('\n')
}

const extensions = [...mediaTypes.map(({ extension }) => extension), 'jpeg']

const bash = `# Completion of fh for bash: eval "$(fh completion bash)" in ~/.bashrc
_fh() {
  local kind='' line words
  words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=()
  {
    IFS= read -r kind
    while IFS= read -r line; do COMPREPLY+=("\${line%%$'\\t'*}"); done
  } < <("$1" completion bash "\${words[@]/#/=}" 2>/dev/null)
  case $kind in
    words)
      compopt +o default +o bashdefault 2>/dev/null
      # A value follows.
      [[ \${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
      ;;
    media)
      compopt -o filenames 2>/dev/null
      words=("\${COMPREPLY[@]}")
      COMPREPLY=()
      # Bash takes a word that is quoted, or begins with ~, for a name as it stands: then all files are shown.
      [[ \${COMP_WORDS[COMP_CWORD]} == *[\\\\\\'\\"~]* ]] && return
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(
        compgen -d -- "\${COMP_WORDS[COMP_CWORD]}"
        for kind in "\${words[@]}"; do compgen -f -X "!*.$kind" -- "\${COMP_WORDS[COMP_CWORD]}"; done
      )
      ;;
    folders) compopt -o dirnames 2>/dev/null ;;
  esac
}
complete -o bashdefault -o default -F _fh fh`

const zsh = `#compdef fh
# Completion of fh for zsh: save it as _fh in a folder of $fpath, or eval "$(fh completion zsh)" after compinit
_fh() {
  local line
  local -a answer entries typed
  typed=("\${(@Q)words[2,CURRENT]}")
  answer=("\${(@f)$("\${words[1]}" completion zsh "\${(@)typed/#/=}" 2>/dev/null)}")
  case \${answer[1]} in
    files) _files ;;
    media) _files -g "*.(#i)(\${(j:|:)answer[2,-1]})" ;;
    folders) _files -/ ;;
    *)
      for line in "\${(@)answer[2,-1]}"; do
        entries+=("\${\${line%%$'\\t'*}//:/\\\\:}\${\${(M)line:#*$'\\t'*}:+:\${line#*$'\\t'}}")
      done
      # After NAME= a value follows.
      if [[ \${answer[2]} = *= ]]; then _describe -t values value entries -S ''; else _describe -t values value entries; fi
      ;;
  esac
}
if [[ \${funcstack[1]} = _fh ]]; then _fh "$@"; else compdef _fh fh; fi`

const fish = `# Completion of fh for fish: fh completion fish > ~/.config/fish/completions/fh.fish
function __fh_complete
    set -l typed (commandline -opc)
    set -l fh $typed[1]
    set -e typed[1]
    set -l current (commandline -ct)
    set -l answer ($fh completion fish =$typed "=$current" 2>/dev/null)
    switch "$answer[1]"
        case files
            __fish_complete_path "$current"
        case media
            set -l paths (__fish_complete_path "$current")
            set -l media (string match -ir -- '.*(?:/|\\.(?:'(string join '|' $answer[2..])'))(?:\\t.*)?$' $paths)
            set -q media[1]; or set media $paths
            printf '%s\\n' $media
        case folders
            __fish_complete_directories "$current"
        case words
            set -e answer[1]
            printf '%s\\n' $answer
    end
end
complete -c fh -f -a '(__fh_complete)'`

const powershell = `# Completion of fh for PowerShell: fh completion powershell | Out-String | Invoke-Expression in $PROFILE
Register-ArgumentCompleter -Native -CommandName fh -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $typed = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object { '=' + $_.ToString().Trim('"', "'") })
    $answer = @(& fh completion powershell @typed "=$wordToComplete" 2>$null)
    # Without a result PowerShell lists files itself; an empty string prevents that.
    if ($answer.Count -eq 0 -or $answer[0] -ne 'words') { return }
    if ($answer.Count -eq 1) { return '' }
    $answer | Select-Object -Skip 1 | ForEach-Object {
        $value, $description = $_ -split "\`t", 2
        if (-not $description) { $description = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
    }
}`

/** The scripts that complete fh in a shell. They ask fh for suggestions, so they never become outdated. */
export const completionScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell }
