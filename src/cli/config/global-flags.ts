import { type Command, Option } from 'commander'
import type { ColorChoice } from '../output/terminal/color.ts'

/** The flags of every command, as they were given. */
export interface GlobalFlags {
  readonly profile?: string
  readonly baseUrl?: string
  readonly json?: boolean
  readonly jsonl?: boolean
  readonly fields?: string
  readonly quiet?: boolean
  readonly verbose?: boolean
  readonly debug?: boolean
  readonly color?: ColorChoice
  /** False with --no-input. */
  readonly input?: boolean
  readonly timeout?: string
  readonly maxWait?: string
  /** False with --no-wait. */
  readonly wait?: boolean
  readonly retries?: string
  readonly limits?: string
  readonly proxy?: string
  readonly caCert?: string
  readonly insecureHttp?: boolean
  /** False with --no-journal, which `fh upload` alone has: then nothing is written to disk. */
  readonly journal?: boolean
  /** Of `fh upload` as it was written; `fh emulate` has one of the same name, already read. */
  readonly maxFileSize?: string | number
}

/** Under which help lists them. */
export const globalFlagsHeading = 'Flags of every command:'

/** Declares them on a command and on all below it, so that they may stand before and after its name. */
export function addGlobalFlags(command: Command): void {
  command
    .optionsGroup(globalFlagsHeading)
    .option('--profile <name>', 'use this profile of the config file')
    .option('--base-url <url>', 'address of the service')
    .option('--json', 'print one JSON document')
    .addOption(new Option('--jsonl', 'print JSON lines as items finish (upload, list, delete)').conflicts('json'))
    .option('--fields <a,b>', 'print only these fields')
    .option('-q, --quiet', 'print only data and errors')
    .option('-v, --verbose', 'say more about what happens')
    .option('--debug', 'print all HTTP requests and answers on stderr, the key redacted')
    .addOption(new Option('--color <when>', 'use colour').choices(['auto', 'always', 'never']))
    .option('--no-input', 'never ask; fail instead')
    .option('--timeout <duration>', 'give up when nothing moves for this long (120s)')
    .option('--max-wait <duration>', 'wait at most this long for quota (unlimited on a terminal, else 1h)')
    .option('--no-wait', 'never wait for quota')
    .option('--retries <n>', 'repeat after network failures and 5xx this often (5)')
    .option('--limits <limits>', 'units the service allows, as burst=20,minute=60,hour=1000,day=10000, or none')
    .option('--proxy <url>', 'send requests through this HTTP proxy')
    .option('--ca-cert <file>', 'trust the certificate authorities in this PEM file')
    .option('--insecure-http', 'allow the key to travel unencrypted to another host')
  for (const child of command.commands) addGlobalFlags(child)
}

/** Declares them without listing them: the help of every command does that. */
export function addHiddenGlobalFlags(program: Command): void {
  addGlobalFlags(program)
  for (const option of program.options) option.hideHelp(option.long !== '--version')
}

/** The flags given anywhere on the way to a command; the one nearest to it wins. */
export function globalFlagsOf(command: Command): GlobalFlags {
  const above = command.parent === null ? {} : globalFlagsOf(command.parent)
  const given = Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) !== 'default')
  return { ...above, ...Object.fromEntries(given) }
}
