import type { Command } from 'commander'
import { version } from '../../../package.json'
import { clientOver } from '../../client/client.ts'
import type { Client, ClientEvent, Clock, Transport } from '../../index.ts'
import type { OpenFleet } from '../../pacing/fleet/open-fleet.ts'
import type { LedgerAccount } from '../../pacing/ledger.ts'
import { stateFolder } from '../../system/environment.ts'
import type { UploadNote } from '../../uploads/upload-run.ts'
import { ConfigStore } from '../config/config-store.ts'
import { assertPrivate, openTransport, readCa } from '../config/connection.ts'
import { type Credentials, resolveCredentials } from '../config/credentials.ts'
import type { GlobalFlags } from '../config/global-flags.ts'
import { limitsOf, readSetting, resolveSettings } from '../config/settings.ts'
import { asUsage } from '../failures/cli-error.ts'
import type { Document, PlainDocument, Reporter, Warning } from '../output/events.ts'
import { ledgerWarning, noteText } from '../output/notes.ts'
import { Transfers } from '../output/progress/transfers.ts'
import { type Io, isOn, verbosityOf } from './host.ts'
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
  const { io, clock, flags, reporter, interruption } = given
  const config = new ConfigStore(io.env)
  // A command may have changed what is stored.
  const inUse = () => resolveSettings(flags, io.env, config.stored(), io.stderr.isTTY)
  const clients: Client[] = []
  let credentials: Promise<Credentials> | undefined
  let opened: Promise<OpenFleet> | undefined
  const context = {
    ...given,
    config,
    verbosity: verbosityOf(flags, io.env),
    note: (note: string | UploadNote) => reporter.report({ type: 'note', text: noteText(note) }),
    warn: (warning: Warning) => reporter.report({ type: 'warning', ...warning }),
    print: (document: Document) => reporter.report({ type: 'document', ...document }),
    /** A change: its text is a remark. */
    tell({ data, text }: PlainDocument) {
      context.note(text)
      context.print({ data, text: () => [] })
    },
    profile: () => inUse().profile,
    settings: () => inUse().settings,
    /** The files of the run on their way. */
    transfers: new Transfers(clock),
    /** The base URL and the key in use, found once. @throws CliError that names what is missing, and how to set it */
    async credentials() {
      const { settings, profile } = inUse()
      credentials ??= resolveCredentials(settings, profile)
      return await credentials
    },
    /** The caller closes it. */
    openTransport: async () => given.openTransport?.() ?? (await openTransport(inUse().settings, io.env)),
    /** What the runners of the account share: nothing of it is loaded without the setting `ledger`, or connected before its use. */
    async fleet(): Promise<OpenFleet | undefined> {
      const { settings } = inUse()
      const url = readSetting(settings, 'ledger')
      if (url === undefined) return undefined
      const account = { ...(await context.credentials()), clock }
      opened ??= import('../../pacing/fleet/open-fleet.ts').then(async ({ openFleet }) =>
        openFleet({ url, ca: await readCa(settings) }, account),
      )
      return await opened
    },
    async client(choice: ClientChoice = {}): Promise<Client> {
      const client = await openClient(choice, context)
      clients.push(client)
      return client
    },
    /** @param isStdinList whether standard input is a list, so that questions are asked at the controlling terminal */
    async prompt(isStdinList = false) {
      const { createPrompt, hasControllingTerminal } = await import('../output/terminal/prompt.ts')
      const { stdin, stderr, env } = io
      const isForbidden = flags.input === false || isOn(env['FH_NO_INPUT']) || isOn(env['CI'])
      const isThere = isStdinList ? hasControllingTerminal() : stdin.isTTY && stderr.isTTY
      const without = isThere ? undefined : 'there is no terminal'
      const impossible = isForbidden ? '--no-input is given, or FH_NO_INPUT or CI is set' : without
      return createPrompt(isStdinList ? undefined : { stdin, stderr }, impossible, interruption)
    },
    /** Closes all clients, and the connection to Redis. */
    async close(): Promise<void> {
      interruption.dispose()
      await Promise.all(clients.map((client) => client.close()))
      // One that could not be opened has been told.
      await opened?.then((fleet) => fleet.close()).catch(() => {})
    },
  }
  return context
}

/** How raw files are fetched: with the proxy and certificate authorities of the settings, and without the API key. */
export type SiteAccess = Awaited<ReturnType<typeof openSiteAccess>>

/** The caller closes its transport. */
export async function openSiteAccess({ settings, openTransport, clock, reporter }: Context) {
  const patience = { retries: readSetting(settings(), 'retries'), maxWaitMs: readSetting(settings(), 'max_wait') }
  const onEvent = (event: ClientEvent) => reporter.report({ type: 'wire', event })
  return { ...patience, transport: await openTransport(), clock, userAgent: `fh/${version}`, onEvent }
}

/** With the exit code, if it is not 0. Failures are thrown. */
// biome-ignore lint/suspicious/noConfusingVoidType: most commands return nothing
export type Action = (context: Context) => void | number | Promise<void | number>
export type Start = (action: Action) => void

export interface CommandModule {
  /** Declares arguments, flags and examples; once the command line is parsed, calls `start` with what is to be done. */
  register(command: Command, start: Start, argv: readonly string[]): void
}

export interface ClientChoice {
  /** Default: those of the settings; others, which are not stored yet, count on this machine alone. */
  readonly credentials?: Credentials
  readonly retries?: number
  readonly maxWaitMs?: number
  /** How long a request waits for a Redis that cannot be reached, in milliseconds, if `--max-wait` is not less. */
  readonly ledgerPatienceMs?: number
  readonly uploadBytesPerSecond?: number | undefined
  readonly onEvent?: (event: ClientEvent) => void
}

/** A command that only looks is not kept waiting for Redis. */
const SHORT_PATIENCE_MS = 10_000
/** For what must not be lost. Most networks, and restarts of a server, are mended by then. */
export const LONG_PATIENCE_MS = 300_000

async function openClient(choice: ClientChoice, context: Context): Promise<Client> {
  const { io, clock, flags, reporter } = context
  const settings = context.settings()
  const { baseUrl, apiKey, whose } = choice.credentials ?? (await context.credentials())
  const fleet = choice.credentials ? undefined : await context.fleet()
  const longestMs = readSetting(settings, 'max_wait')
  // With `--limits none` processes and runners still wait after each other's refusals.
  const patienceMs = Math.min(choice.ledgerPatienceMs ?? SHORT_PATIENCE_MS, longestMs)
  const ledger = fleet ? { open: (own: LedgerAccount) => fleet.openLedger({ ...own, patienceMs }) } : 'shared'
  assertPrivate(baseUrl, settings, flags)
  const options = {
    ...{ baseUrl, apiKey, clock, userAgent: `fh/${version}`, allowInsecureHttp: flags.insecureHttp === true },
    pacing: { limits: limitsOf(settings), ledger, folder: stateFolder(io.env) },
    retry: {
      retries: choice.retries ?? readSetting(settings, 'retries'),
      maxWaitMs: Math.min(choice.maxWaitMs ?? longestMs, longestMs),
    },
    uploadBytesPerSecond: choice.uploadBytesPerSecond,
    onEvent(event: ClientEvent) {
      choice.onEvent?.(event)
      const warning = ledgerWarning(event)
      if (warning === undefined) reporter.report({ type: 'wire', event })
      else context.warn(warning)
    },
  } as const
  const transport = await context.openTransport()
  return asUsage(() => clientOver(transport, options, whose))
}
