import { Argument, type Command, type Option } from 'commander'
import { definitionOf, longFlag, settingNames } from '../config/global-flags.ts'
import type { Context, Start } from '../context/context.ts'
import { commandBelow, helpTopics } from '../output/help-layout.ts'

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
    const found = suggest(await context.describeProgram(words), words)
    text = found === 'files' ? found : ['words', ...found].join('\n')
  }
  context.print({ data: { shell, text }, text })
}

/** The possible next words; files are left to the shell. */
type Suggestions = 'files' | readonly string[]

/**
 * Suggests the last word of a command line: commands, flags, and values that are fixed, or that the help calls files.
 * @param program with the flags of the commands in `words`
 * @param words the words so far; the last is the incomplete word, maybe empty
 */
function suggest(program: Command, words: readonly string[]): Suggestions {
  const current = words.at(-1) ?? ''
  const { command, option, positionals, isEnded } = placeAfter(program, words.slice(0, -1))
  const matching = (found: Suggestions) =>
    found === 'files' ? found : found.filter((value) => value.startsWith(current))
  if (option !== undefined) return matching(valuesOfFlag(option))
  const [flag = ''] = /^--[^=]+(?==)/.exec(current) ?? []
  const assigned = isEnded ? undefined : flagWithValue(command, flag)
  if (assigned !== undefined) {
    const found = valuesOfFlag(assigned)
    return found === 'files' ? found : matching(found.map((value) => `${flag}=${value}`))
  }
  if (!isEnded && current.startsWith('-')) {
    return matching(['--help', '-h', ...command.options.flatMap(({ long, short }) => [long ?? '', short ?? ''])])
  }
  const children = positionals.length === 0 && !isEnded ? subcommandsOf(command) : []
  return matching(children.length > 0 ? children : valuesOfArgument(command, positionals, program))
}

/** Where a word after the others stands: in which command, as the value of which flag, after which arguments. */
function placeAfter(program: Command, words: readonly string[]) {
  let command = program
  let option: Option | undefined
  let isEnded = false
  const positionals: string[] = []
  for (const word of words) {
    const isValue = option !== undefined
    option = undefined
    if (isValue) continue
    if (/^-./.test(word) && !isEnded) {
      isEnded = word === '--'
      option = flagWithValue(command, word)
      continue
    }
    const child = positionals.length === 0 && !isEnded ? commandBelow(command, word) : undefined
    if (child === undefined) positionals.push(word)
    else command = child
  }
  return { command, option, positionals, isEnded }
}

function flagWithValue({ options }: Command, word: string): Option | undefined {
  return options.find(({ long, short, required }) => required && [long, short].includes(word))
}

function valuesOfFlag({ argChoices, flags, long }: Option): Suggestions {
  if (argChoices !== undefined) return argChoices
  if (/<(file|folder)>/.test(flags)) return 'files'
  const setting = settingNames.find((name) => longFlag(name) === long)
  return setting === undefined ? [] : (definitionOf(setting).words ?? [])
}

function valuesOfArgument(command: Command, positionals: readonly string[], program: Command): Suggestions {
  const { registeredArguments } = command
  const last = registeredArguments.at(-1)
  const argument = registeredArguments[positionals.length] ?? (last?.variadic ? last : undefined)
  if (argument?.argChoices !== undefined) return argument.argChoices
  switch (argument?.name()) {
    case 'path':
      return command.name() === 'api' ? [] : 'files'
    case 'command':
      return 'files'
    case 'topic':
      return positionals.length === 0 ? [...subcommandsOf(program), ...helpTopics] : []
    default:
      return []
  }
}

function subcommandsOf(command: Command): readonly string[] {
  const visible = command.createHelp().visibleCommands(command)
  return visible.flatMap((child) => [child.name(), ...child.aliases()])
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
    while IFS= read -r line; do COMPREPLY+=("$line"); done
  } < <("$1" completion bash "\${words[@]/#/=}" 2>/dev/null)
  [[ $kind == words ]] && compopt +o default +o bashdefault 2>/dev/null
}
complete -o bashdefault -o default -F _fh fh`

const zsh = `#compdef fh
# Completion of fh for zsh: save it as _fh in a folder of $fpath, or eval "$(fh completion zsh)" after compinit
_fh() {
  local -a answer typed
  typed=("\${(@Q)words[2,CURRENT]}")
  answer=("\${(@f)$("\${words[1]}" completion zsh "\${(@)typed/#/=}" 2>/dev/null)}")
  if [[ \${answer[1]} = files ]]; then _files; else compadd -- "\${(@)answer[2,-1]}"; fi
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
    $answer | Select-Object -Skip 1
}`

/** They ask fh for suggestions, so they never become outdated. */
const completionScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell }
