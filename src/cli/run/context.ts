import type { Client, ClientEvent, Clock } from '../../index.ts'
import { type ConfigStore, createConfigStore } from '../config/config-store.ts'
import { type Credentials, connect, resolveCredentials } from '../config/connection.ts'
import type { GlobalFlags } from '../config/global-flags.ts'
import { isOn, type ProfileInUse, profileInUse, resolveSettings, type Settings } from '../config/settings.ts'
import type { Reporter } from '../output/events.ts'
import { createPrompt, type Prompt } from '../output/terminal/prompt.ts'
import type { Io } from './host.ts'
import type { Interruption } from './interruption.ts'
import type { DescribeProgram } from './program-description.ts'

/** Everything a command may use; what is slow to make is made at its first use. */
export interface Context {
  readonly io: Io
  readonly clock: Clock
  readonly flags: GlobalFlags
  readonly reporter: Reporter
  readonly interruption: Interruption
  readonly config: ConfigStore
  readonly prompt: Prompt
  /** For help and completion. */
  readonly describeProgram: DescribeProgram
  profile(): ProfileInUse
  /** @throws CliError where the config file is broken */
  settings(): Settings
  /** The base URL and the key in use. @throws CliError that names what is missing, and how to set it */
  credentials(): Promise<Credentials>
  /** A client of the account in use. */
  client(choice?: ClientChoice): Promise<Client>
  /** Closes all clients. */
  close(): Promise<void>
}

export interface ClientChoice {
  /** Default: those of the settings. */
  readonly credentials?: Credentials
  /** Called before the reporter gets the event. */
  readonly onEvent?: (event: ClientEvent) => void
  /** Units of the hour and the day to leave to others. */
  readonly reserve?: number | undefined
  /** Replaces the setting. */
  readonly retries?: number
}

type Given = Pick<Context, 'io' | 'clock' | 'flags' | 'reporter' | 'interruption' | 'describeProgram'>

/** Puts the parts of a run together. */
export function createContext(given: Given): Context {
  const { io, clock, flags, reporter, interruption } = given
  const { env } = io
  const clients: Client[] = []
  const config = createConfigStore(env)
  const profile = () => {
    const inUse = profileInUse(flags, env)
    return { ...inUse, known: config.profileNames, stored: () => config.profile(inUse.name) }
  }
  const settings = () => {
    const { name: profileName } = profileInUse(flags, env)
    const terminal = io.stderr.isTTY === true
    return resolveSettings({ flags, env, profile: config.profile(profileName), profileName, terminal })
  }
  const credentials = () => resolveCredentials(settings(), profile())
  return {
    ...given,
    config,
    prompt: createPrompt({
      stdin: io.stdin,
      stderr: io.stderr,
      impossible: whyNoPrompt(io, flags),
      stopping: interruption.stopping,
      onInterrupt: () => interruption.stop('SIGINT'),
    }),
    profile,
    settings,
    credentials,
    async client({ onEvent, ...choice } = {}) {
      const client = await connect(choice.credentials ?? (await credentials()), {
        settings: settings(),
        env,
        clock,
        allowInsecureHttp: flags.insecureHttp === true,
        reserve: choice.reserve,
        retries: choice.retries,
        onEvent: (event) => {
          onEvent?.(event)
          if (event.type === 'ledger-problem') {
            const { folder, reason } = event
            reporter.report({ type: 'warning', warning: { type: 'ledger-unusable', folder, reason } })
          } else reporter.report({ type: 'wire', event })
        },
      })
      clients.push(client)
      return client
    },
    async close() {
      interruption.dispose()
      await Promise.all(clients.map((client) => client.close()))
    },
  }
}

function whyNoPrompt({ env, stdin, stderr }: Io, flags: GlobalFlags): string | undefined {
  if (flags.input === false) return '--no-input is given'
  if (isOn(env['FH_NO_INPUT'])) return 'FH_NO_INPUT is set'
  if (isOn(env['CI'])) return 'this is a CI run (CI is set)'
  if (!stdin.isTTY) return 'standard input is not a terminal'
  return stderr.isTTY ? undefined : 'standard error is not a terminal'
}
