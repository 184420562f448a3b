import type { Client, ClientEvent, Clock } from '../index.ts'
import { type ConfigStore, createConfigStore } from './config-store.ts'
import { type Credentials, connect, resolveCredentials } from './connection.ts'
import type { GlobalFlags } from './global-flags.ts'
import type { Io } from './host.ts'
import type { Interruption } from './interruption.ts'
import { createPrompt, type Prompt } from './prompt.ts'
import type { Reporter } from './reporter.ts'
import { isOn, profileNameOf, resolveSettings, type Settings } from './settings.ts'

/** What a command may reach for; everything that costs is made when it is first asked for. */
export interface Context {
  readonly io: Io
  readonly clock: Clock
  readonly flags: GlobalFlags
  readonly reporter: Reporter
  readonly interruption: Interruption
  readonly config: ConfigStore
  readonly prompt: Prompt
  profileName(): string
  /** @throws CliError where the config file is broken */
  settings(): Settings
  /** The client of the account in use; `credentials` and `onEvent` are for one that is not, or is to be watched. */
  client(options?: { credentials?: Credentials; onEvent?: (event: ClientEvent) => void }): Promise<Client>
  /** Lets go of whatever was made. */
  close(): Promise<void>
}

export interface ContextOptions {
  readonly io: Io
  readonly clock: Clock
  readonly flags: GlobalFlags
  readonly reporter: Reporter
  readonly interruption: Interruption
}

/** The composition root: here the parts of a run are put together. */
export function createContext({ io, clock, flags, reporter, interruption }: ContextOptions): Context {
  const { env } = io
  const clients: Client[] = []
  const config = createConfigStore(env)
  const profileName = () => profileNameOf(flags, env)
  const settings = () =>
    resolveSettings({
      flags,
      env,
      profile: config.profile(profileName()),
      profileName: profileName(),
      terminal: io.stderr.isTTY === true,
    })
  return {
    io,
    clock,
    flags,
    reporter,
    interruption,
    config,
    prompt: createPrompt({
      stdin: io.stdin,
      stderr: io.stderr,
      impossible: whyNobodyCanBeAsked(io, flags),
      stopping: interruption.stopping,
      onInterrupt: () => interruption.stop('SIGINT'),
    }),
    profileName,
    settings,
    async client({ credentials, onEvent } = {}) {
      const current = settings()
      const client = await connect(credentials ?? (await resolveCredentials(current, profileName())), {
        settings: current,
        env,
        clock,
        allowInsecureHttp: flags.insecureHttp === true,
        onEvent: (event) => {
          onEvent?.(event)
          reporter.report({ type: 'wire', event })
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

function whyNobodyCanBeAsked({ env, stdin, stderr }: Io, flags: GlobalFlags): string | undefined {
  if (flags.input === false) return '--no-input is given'
  if (isOn(env['FH_NO_INPUT'])) return 'FH_NO_INPUT is set'
  if (isOn(env['CI'])) return 'this is a CI run (CI is set)'
  if (!stdin.isTTY) return 'standard input is not a terminal'
  return stderr.isTTY ? undefined : 'standard error is not a terminal'
}
