import type { Command } from 'commander'
import { version } from '../../../package.json'
import type { ClientEvent, Clock, Transport } from '../../index.ts'
import type { UploadNote } from '../../uploads/upload-run.ts'
import { type Config, ConfigStore } from '../config/config-store.ts'
import { openTransport } from '../config/connection.ts'
import { keyBeforeProfile, refuseEmptyKey, resolveCredentials } from '../config/credentials.ts'
import type { GlobalFlags } from '../config/global-flags.ts'
import { readSetting, resolveSettings } from '../config/settings.ts'
import type { BatchConditions, BatchItem } from '../failures/exit-codes.ts'
import type { Document, PlainDocument, Reporter, Warning } from '../output/events.ts'
import { notes, uploadNoteText } from '../output/notes.ts'
import { createClients } from './clients.ts'
import { type Io, isOn } from './host.ts'
import type { Interruption } from './interruption.ts'

/** Everything a command may use; what is slow to make is made at its first use. */
export type Context = ReturnType<typeof createContext>

interface Given {
  readonly io: Io
  readonly clock: Clock
  readonly flags: GlobalFlags
  readonly reporter: Reporter
  readonly interruption: Interruption
  /** Describes the command line; the commands that the words name with their arguments and flags. */
  describeProgram(words: readonly string[]): Promise<Command>
  /** Opens connections to the service, or to a site. Default: as the settings have it. */
  readonly openTransport?: () => Transport
}

export function createContext(given: Given) {
  const { reporter, interruption, io } = given
  const told = {
    note: (note: string | UploadNote) =>
      reporter.report({ type: 'note', text: typeof note === 'string' ? note : uploadNoteText(note) }),
    warn: (warning: Warning) => reporter.report({ type: 'warning', ...warning }),
    print: (document: Document) => reporter.report({ type: 'document', ...document }),
    tell: (effect: PlainDocument) => reporter.report({ type: 'effect', ...effect }),
  }
  const account = createAccount(given, told.warn)
  const shared = {
    ...given,
    ...told,
    ...account,
    /** The caller closes it. */
    openTransport: async () => given.openTransport?.() ?? (await openTransport(account.settings(), io.env)),
  }
  const { fleet, client, closeClients } = createClients(shared)
  return {
    ...shared,
    ...createQuestions(given),
    fleet,
    client,
    /** Standard input, to be read to its end; if that is a terminal, it says that it waits for what is typed. */
    input() {
      if (io.stdin.isTTY) told.note(notes.typing)
      return io.stdin
    },
    /** Closes all clients, and the connection to Redis. */
    async close() {
      interruption.dispose()
      await closeClients()
    },
  }
}

/** The settings in use, and the account that they name. */
function createAccount({ io, flags }: Given, warn: (warning: Warning) => void) {
  const { env, stderr } = io
  const config = new ConfigStore(env)
  let resolved: (ReturnType<typeof resolveSettings> & { readonly of: Config }) | undefined
  /** Once in a run, and again where the command has changed what is stored. */
  const inUse = () => {
    const stored = config.stored()
    const onTerminal = stderr.isTTY
    if (resolved?.of !== stored)
      resolved = { of: stored, ...resolveSettings({ flags, env, config: stored, onTerminal }) }
    return resolved
  }
  let isKeyTold = flags.quiet === true
  return {
    config,
    profile: () => inUse().profile,
    /** @throws CliError where the config file is broken */
    settings: () => inUse().settings,
    /** The base URL and the key in use. @throws CliError that names what is missing, and how to set it */
    credentials() {
      const { settings, profile } = inUse()
      refuseEmptyKey(settings)
      const variable = isKeyTold ? undefined : keyBeforeProfile(settings, profile)
      isKeyTold = true
      if (variable !== undefined) {
        warn({ message: notes.inUse(variable, `the key of profile ${profile.name}`), isBrief: true })
      }
      return resolveCredentials(settings, profile)
    },
  }
}

function createQuestions({ io, flags, interruption }: Given) {
  const { stdin, stderr, env } = io
  const endings = { stopping: interruption.stopping, onInterrupt: () => interruption.stop('SIGINT') }
  /** Why nothing may be asked, on any terminal. */
  const whyUnasked = () => {
    if (flags.input === false) return '--no-input is given'
    if (isOn(env['FH_NO_INPUT'])) return 'FH_NO_INPUT is set'
    return isOn(env['CI']) ? 'this is a CI run (CI is set)' : undefined
  }
  return {
    async prompt() {
      const { createPrompt } = await import('../output/terminal/prompt.ts')
      const without = !stdin.isTTY ? 'standard input' : !stderr.isTTY ? 'standard error' : undefined
      const impossible = whyUnasked() ?? (without && `${without} is not a terminal`)
      return createPrompt({ stdin, stderr, impossible, ...endings })
    },
    /** Asks at the controlling terminal, where standard input is a list. */
    async terminalPrompt() {
      const terminal = await import('../output/terminal/prompt.ts')
      const without = 'standard input is the list, and there is no terminal'
      const impossible = whyUnasked() ?? (terminal.hasControllingTerminal() ? undefined : without)
      return terminal.createTerminalPrompt({ impossible, ...endings })
    },
  }
}

/** How raw files are fetched: with the proxy and certificate authorities of the settings, and without the API key. */
export type SiteAccess = Awaited<ReturnType<typeof openSiteAccess>>

/** The caller closes its transport. */
export async function openSiteAccess({ settings, openTransport, clock, reporter }: Context) {
  const patience = { retries: readSetting(settings(), 'retries'), maxWaitMs: readSetting(settings(), 'max_wait') }
  const onEvent = (event: ClientEvent) => reporter.report({ type: 'wire', event })
  return { ...patience, transport: await openTransport(), clock, userAgent: `fh/${version}`, onEvent }
}

/** How a command ended; nothing is success. Failures are thrown. */
export type CommandResult =
  // biome-ignore lint/suspicious/noConfusingVoidType: most commands return nothing
  | void
  | ({ readonly type: 'batch'; readonly items: readonly BatchItem[] } & BatchConditions)
  /** With the exit code of a command that fh ran. */
  | { readonly type: 'exit'; readonly code: number }

/** What a command line asks for. */
export type Action = (context: Context) => CommandResult | Promise<CommandResult>
export type Start = (action: Action) => void

/** What the file of a command exports. */
export interface CommandModule {
  /**
   * Declares arguments, flags and examples; once they are parsed, calls `start` with what is to be done.
   * @param argv the whole command line, not parsed yet
   */
  register(command: Command, start: Start, argv: readonly string[]): void
}
