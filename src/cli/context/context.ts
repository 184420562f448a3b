import type { Command } from 'commander'
import { version } from '../../../package.json'
import type { Client, ClientEvent, Clock, Transport } from '../../index.ts'
import type { UploadNote } from '../../uploads/upload-run.ts'
import { keyBeforeProfile, refuseEmptyKey } from '../config/api-key.ts'
import { type Config, ConfigStore } from '../config/config-store.ts'
import {
  type ConnectionOptions,
  type Credentials,
  connect,
  createCliTransport,
  type Fleet,
  openFleetOf,
  readWireSettings,
  resolveCredentials,
  type WireSettings,
} from '../config/connection.ts'
import type { GlobalFlags } from '../config/global-flags.ts'
import { type ProfileInUse, profileInUse } from '../config/profiles.ts'
import { type GivenSettings, isOn, resolveSettings } from '../config/settings.ts'
import type { BatchConditions, BatchItem } from '../failures/exit-codes.ts'
import type { Document, PlainDocument, Reporter, Warning } from '../output/events.ts'
import type { DescribeProgram } from '../output/help-layout.ts'
import { ledgerWarning, uploadNoteText } from '../output/upload-note-text.ts'
import type { Io } from './host.ts'
import type { Interruption } from './interruption.ts'

/** Everything a command may use; what is slow to make is made at its first use. */
export type Context = ReturnType<typeof createContext>

export interface ClientChoice
  extends Pick<ConnectionOptions, 'retries' | 'maxWaitMs' | 'uploadBytesPerSecond' | 'ledgerPatienceMs'> {
  /** Default: those of the settings. */
  readonly credentials?: Credentials
  /** Whether only the processes of this machine count together. Default: false. */
  readonly isAlone?: boolean
  /** Called before the reporter gets the event. */
  readonly onEvent?: (event: ClientEvent) => void
}

interface Given {
  readonly io: Io
  readonly clock: Clock
  readonly flags: GlobalFlags
  readonly reporter: Reporter
  readonly interruption: Interruption
  readonly describeProgram: DescribeProgram
  readonly openTransport?: (wire: WireSettings) => Transport
}

export function createContext(given: Given) {
  const { reporter, interruption, io } = given
  const openTransport = given.openTransport ?? ((wire: WireSettings) => createCliTransport(wire, io.env))
  const told = {
    note: (note: string | UploadNote) =>
      reporter.report({ type: 'note', text: typeof note === 'string' ? note : uploadNoteText(note) }),
    warn: (warning: Warning) => reporter.report({ type: 'warning', ...warning }),
    print: (document: Document) => reporter.report({ type: 'document', ...document }),
    tell: (effect: PlainDocument) => reporter.report({ type: 'effect', ...effect }),
  }
  const account = createAccount(given, told.warn)
  const clients = createClients({ ...given, openTransport }, account, told.warn)
  return {
    ...given,
    ...told,
    ...account,
    ...createQuestions(given),
    /** Opens connections to the service, or to a site; the caller closes them. */
    openTransport,
    client: clients.open,
    fleet: clients.fleet,
    /** Standard input, to be read to its end; if that is a terminal, it says that it waits for what is typed. */
    input() {
      if (io.stdin.isTTY) told.note('Reading from the terminal; Ctrl-D on a line of its own ends the input')
      return io.stdin
    },
    /** Closes all clients, and the connection to Redis. */
    async close() {
      interruption.dispose()
      await clients.close()
    },
  }
}

/** The settings in use, and the account that they name. */
function createAccount({ io, clock, flags, interruption }: Given, warn: (warning: Warning) => void) {
  const { env } = io
  const config = new ConfigStore(env, { clock, signal: interruption.stopping })
  let resolved: ReturnType<typeof resolve> | undefined
  /** Once in a run, and again where the command has changed what is stored. */
  const inUse = () => {
    const stored = config.stored()
    if (resolved?.stored !== stored) resolved = resolve(stored)
    return resolved
  }
  function resolve(stored: Config) {
    const named = profileInUse(flags, env, stored.profile)
    const profile: ProfileInUse = {
      ...named,
      known: () => config.profileNames(),
      stored: () => config.profile(named.name),
    }
    const sources = { flags, env, profile: profile.stored(), profileName: named.name, terminal: io.stderr.isTTY }
    return { stored, profile, settings: resolveSettings(sources) }
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
        const message = `${variable} is used, not the key of profile ${profile.name}`
        warn({ message, hint: 'unset it to use the profile', isBrief: true })
      }
      return resolveCredentials(settings, profile)
    },
  }
}

function createClients(
  { io, clock, flags, reporter, openTransport }: Given & Required<Pick<Given, 'openTransport'>>,
  { settings, credentials }: Pick<ReturnType<typeof createAccount>, 'settings' | 'credentials'>,
  warn: (warning: Warning) => void,
) {
  const clients: Client[] = []
  const fleets = new Map<string, Promise<Fleet | undefined>>()
  /** One connection for each account. Runs without a fleet load none of it. */
  const fleetOf = (account: Credentials, current: GivenSettings) => {
    if (current.ledger === undefined) return undefined
    const name = `${account.baseUrl} ${account.apiKey}`
    const fleet = fleets.get(name) ?? openFleetOf(account, { settings: current, clock })
    fleets.set(name, fleet)
    return fleet
  }
  return {
    /**
     * What the runners of an account share; undefined where the setting `ledger` is not set.
     * @param account default: that of the settings
     */
    async fleet(account?: Credentials): Promise<Fleet | undefined> {
      const current = settings()
      // Finding the key may run a command of the user's.
      return current.ledger && (await fleetOf(account ?? (await credentials()), current))
    },
    async open({ credentials: given, isAlone = false, onEvent, ...choice }: ClientChoice = {}) {
      const account = given ?? (await credentials())
      const current = settings()
      const client = await connect(account, {
        settings: current,
        fleet: isAlone ? undefined : await fleetOf(account, current),
        env: io.env,
        openTransport,
        clock,
        allowInsecureHttp: flags.insecureHttp === true,
        ...choice,
        onEvent(event) {
          onEvent?.(event)
          const warning = ledgerWarning(event)
          if (warning === undefined) reporter.report({ type: 'wire', event })
          else warn(warning)
        },
      })
      clients.push(client)
      return client
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()))
      // One that could not be opened has been told.
      await Promise.allSettled([...fleets.values()].map(async (fleet) => (await fleet)?.close()))
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
  const wire = await readWireSettings(settings())
  const onEvent = (event: ClientEvent) => reporter.report({ type: 'wire', event })
  return { ...wire.patience, transport: openTransport(wire), clock, userAgent: `fh/${version}`, onEvent }
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
