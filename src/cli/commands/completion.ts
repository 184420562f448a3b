import { Argument, type Command, type Option } from 'commander'
import { uploadTypes } from '../choice/filter.ts'
import { definitionOf, longFlag, settingNames } from '../config/setting-definitions.ts'
import type { Context, Start } from '../context/context.ts'
import { commandBelow } from '../input/command-words.ts'
import { helpTopics } from '../output/help-layout.ts'

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const

type Shell = (typeof shells)[number]

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
Suggests commands, flags and their values; sends no requests.

Examples:
  fh completion zsh > ~/.zfunc/_fh
  eval "$(fh completion bash)"
  fh completion fish > ~/.config/fish/completions/fh.fish
  fh completion powershell | Out-String | Invoke-Expression`

/** @param marked the words typed so far, as the shell's script passes them; empty = print that script */
async function complete(shell: Shell, marked: readonly string[], context: Context): Promise<void> {
  let text = completionScripts[shell]
  if (marked.length > 0) {
    // The scripts put an = before every word, so that none is empty or looks like a flag.
    const words = marked.map((word) => word.replace(/^=/, ''))
    const found = suggest((await context.describeProgram(words)).program, words)
    const lines = found === 'files' ? [] : found.map((one) => `${one.value}${one.meaning ? `\t${one.meaning}` : ''}`)
    text = [found === 'files' ? found : 'words', ...lines].join('\n')
  }
  context.print({ data: { shell, text }, text })
}

interface Suggestion {
  readonly value: string
  readonly meaning?: string
}

/** The possible next words; files are left to the shell. */
type Suggestions = 'files' | readonly Suggestion[]

/**
 * Suggests the last word of a command line: commands, flags, and values that are fixed, or that the help calls files.
 * @param program with the flags of the commands in `words`
 * @param words the words so far; the last is the incomplete word, maybe empty
 */
function suggest(program: Command, words: readonly string[]): Suggestions {
  const current = words.at(-1) ?? ''
  const { command, option, positionals, isEnded } = placeAfter(program, words.slice(0, -1))
  if (option !== undefined) return matching(current, valuesOfFlag(option))
  const [, name = '', value = ''] = /^(--[^=]+)=(.*)$/s.exec(current) ?? []
  const assigned = isEnded ? undefined : findOption(command, name)
  if (assigned !== undefined) {
    const found = matching(value, valuesOfFlag(assigned))
    return found === 'files' ? found : found.map((one) => ({ value: `${name}=${one.value}` }))
  }
  if (!isEnded && current.startsWith('-')) return matching(current, flagsOf(command))
  const children = positionals.length === 0 && !isEnded ? subcommandsOf(command) : []
  return matching(current, children.length > 0 ? children : valuesOfArgument(command, positionals, program))
}

interface LinePlace {
  readonly command: Command
  /** The flag that expects a value next. */
  readonly option?: Option | undefined
  /** The arguments so far. */
  readonly positionals: readonly string[]
  /** Whether `--` has ended the flags. */
  readonly isEnded: boolean
}

function placeAfter(program: Command, words: readonly string[]): LinePlace {
  let place: LinePlace = { command: program, positionals: [], isEnded: false }
  for (const word of words) place = next(place, word)
  return place
}

function next({ option, ...place }: LinePlace, word: string): LinePlace {
  const { command, positionals, isEnded } = place
  if (option !== undefined) return place
  if (word === '--' && !isEnded) return { ...place, isEnded: true }
  if (/^-./.test(word) && !isEnded) {
    const found = findOption(command, word)
    return { ...place, option: found?.required ? found : undefined }
  }
  const child = positionals.length === 0 && !isEnded ? commandBelow(command, word) : undefined
  return child === undefined ? { ...place, positionals: [...positionals, word] } : { ...place, command: child }
}

function findOption(command: Command, word: string): Option | undefined {
  return command.options.find(({ long, short }) => word !== '' && (long === word || short === word))
}

function matching(current: string, suggestions: Suggestions): Suggestions {
  return suggestions === 'files' ? suggestions : suggestions.filter(({ value }) => value.startsWith(current))
}

function valuesOfFlag({ argChoices, flags, long }: Option): Suggestions {
  if (argChoices !== undefined) return plain(argChoices)
  const placeholder = /<(.*)>/.exec(flags)?.[1] ?? ''
  if (['file', 'folder'].includes(placeholder)) return 'files'
  if (placeholder === 'type') return plain(uploadTypes)
  const setting = settingNames.find((name) => longFlag(name) === long)
  return plain(setting === undefined ? [] : (definitionOf(setting).words ?? []))
}

function valuesOfArgument(command: Command, positionals: readonly string[], program: Command): Suggestions {
  const { registeredArguments } = command
  const last = registeredArguments.at(-1)
  const argument = registeredArguments[positionals.length] ?? (last?.variadic ? last : undefined)
  if (argument?.argChoices !== undefined) return plain(argument.argChoices)
  switch (argument?.name()) {
    case 'path':
      return command.name() === 'api' ? plain(['/api/stats', '/api/uploads', '/api/upload']) : 'files'
    case 'command':
      return 'files'
    case 'setting':
      return plain(settingNames)
    case 'value':
      return valuesOfSetting(positionals[0] ?? '')
    case 'topic':
      return topicsBelow(program, positionals)
    default:
      return []
  }
}

function valuesOfSetting(setting: string): Suggestions {
  const name = settingNames.find((candidate) => candidate === setting.replaceAll('-', '_'))
  const { flag, words = [] } = name === undefined ? {} : definitionOf(name)
  return flag?.value === '<file>' ? 'files' : plain(words)
}

/** The topics of `fh help`; after `fh help config` the subcommands of config. */
function topicsBelow(program: Command, words: readonly string[]): readonly Suggestion[] {
  let command: Command | undefined = program
  for (const word of words) command = command && commandBelow(command, word)
  if (command === undefined) return []
  const topics = helpTopics.map(({ name, summary }) => ({ value: name, meaning: summary }))
  return [...subcommandsOf(command), ...(words.length === 0 ? topics : [])]
}

function flagsOf(command: Command): readonly Suggestion[] {
  const flags = [...command.options, { long: '--help', short: '-h', description: 'show this help' }]
  return flags.flatMap(({ long, short, description }) =>
    [long, short].flatMap((value) => (value ? [{ value, meaning: description }] : [])),
  )
}

function subcommandsOf(command: Command): readonly Suggestion[] {
  const visible = command.createHelp().visibleCommands(command)
  return visible.flatMap((child) =>
    [child.name(), ...child.aliases()].map((value) => ({ value, meaning: child.summary() || child.description() })),
  )
}

function plain(values: readonly string[]): readonly Suggestion[] {
  return values.map((value) => ({ value }))
}

const bash = `# Completion of fh for bash: eval "$(fh completion bash)" in ~/.bashrc
# Else bash splits --format=url into three words.
COMP_WORDBREAKS=\${COMP_WORDBREAKS/=/}
_fh() {
  local kind='' line words
  words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=()
  {
    IFS= read -r kind
    while IFS= read -r line; do COMPREPLY+=("\${line%%$'\\t'*}"); done
  } < <("$1" completion bash "\${words[@]/#/=}" 2>/dev/null)
  [[ $kind == words ]] && compopt +o default +o bashdefault 2>/dev/null
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
    *)
      for line in "\${(@)answer[2,-1]}"; do
        entries+=("\${\${line%%$'\\t'*}//:/\\\\:}\${\${(M)line:#*$'\\t'*}:+:\${line#*$'\\t'}}")
      done
      _describe -t values value entries
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

/** They ask fh for suggestions, so they never become outdated. */
const completionScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell }
