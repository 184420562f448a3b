import { Argument, type Command } from 'commander'
import { recentSlugs, startRemembering } from '../../completion/slug-cache.ts'
import { definitionOf, settingNames } from '../../config/setting-definitions.ts'
import type { Context } from '../../context/context.ts'
import { helpTopics, type ProgramDescription } from '../../context/program-description.ts'
import { completionScripts, partBeforeCursor, presentSuggestions, readWords, type Shell, shells } from './shells.ts'
import { type SuggestionSources, type Suggestions, suggest } from './suggest.ts'

export interface CompletionOptions {
  readonly shell: Shell
  /** The words typed so far, as the shell's script passes them; empty = print that script. */
  readonly words: readonly string[]
}

export function register(command: Command, start: (options: CompletionOptions) => void): void {
  command
    .description('Print a script that makes a shell complete commands, flags and their values.')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    // The script passes the typed words as further arguments, which the help does not mention.
    .allowExcessArguments()
    .addHelpText('after', examples)
    .action((shell: Shell) => start({ shell, words: command.args.slice(1) }))
}

const examples = `
Sends no requests: it suggests the slugs that commands have shown in the last 4
hours. Commands keep them in completion.json of the state folder, from the first
time a shell asks for a completion until that file is deleted.

Examples:
  fh completion zsh > ~/.zfunc/_fh
  eval "$(fh completion bash)"
  fh completion fish > ~/.config/fish/completions/fh.fish
  fh completion powershell | Out-String | Invoke-Expression`

export async function run({ shell, words }: CompletionOptions, context: Context): Promise<void> {
  const text = words.length === 0 ? completionScripts[shell] : await answer(shell, words, context)
  context.reporter.report({ type: 'document', document: { type: 'completion', data: { shell, text } } })
}

async function answer(shell: Shell, marked: readonly string[], context: Context): Promise<string> {
  startRemembering(context.io.env)
  const words = readWords(shell, marked)
  const description = await context.describeProgram(words)
  const suggestions = await suggest(description.program, words, sourcesOf(description, context))
  return presentSuggestions(shell, suggestions, partBeforeCursor(shell, marked))
}

function sourcesOf(
  { program, fieldsOf }: ProgramDescription,
  { config, settings, io, clock }: Context,
): SuggestionSources {
  return {
    profiles: () => config.profileNames(),
    slugs: () => recentSlugs(io.env, settings(), clock.now()),
    fields: fieldsOf,
    settings: (subcommand) =>
      settingNames.filter((name) => subcommand === 'get' || (definitionOf(name).stored && !definitionOf(name).secret)),
    settingValues,
    topics: () => [
      ...program.commands.flatMap((command) =>
        [command.name(), ...command.aliases()].map((value) => ({ value, description: command.summary() })),
      ),
      ...helpTopics.map(({ name, summary }) => ({ value: name, description: summary })),
    ],
  }
}

function settingValues(setting: string): Suggestions {
  const name = settingNames.find((candidate) => candidate === setting.replaceAll('-', '_'))
  const { flag, words = [] } = name === undefined ? {} : definitionOf(name)
  return flag?.value === '<file>' ? 'files' : words.map((value) => ({ value, description: '' }))
}
