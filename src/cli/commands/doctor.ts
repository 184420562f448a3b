import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { access, constants } from 'node:fs/promises'
import { isIP } from 'node:net'
import type { Command } from 'commander'
import { hostOf, isLoopback } from '../../client/base-url.ts'
import { ConnectionError } from '../../client/errors.ts'
import { proxyFromEnvironment } from '../../client/transports/open-connection.ts'
import { openingError } from '../../client/transports/transport.ts'
import type { ClientEvent } from '../../index.ts'
import { counted } from '../../protocol/quantities.ts'
import { stateFolder } from '../../system/environment.ts'
import { makePrivateFolder } from '../../system/private-file.ts'
import { reasonOf } from '../../system/system-errors.ts'
import { proxySetting, readCa } from '../config/connection.ts'
import { keySetting, refuseEmptyKey } from '../config/credentials.ts'
import { settingNames } from '../config/global-flags.ts'
import { readSetting } from '../config/settings.ts'
import type { Context, Start } from '../context/context.ts'
import { asUsage, CliError, usageError } from '../failures/cli-error.ts'
import { describeFailure } from '../failures/failure.ts'
import { hints } from '../failures/hints.ts'
import { formatDuration, printable } from '../format/format.ts'

export function register(command: Command, start: Start): void {
  command
    .description('Check settings, connection and key, for a unit.')
    .addHelpText('after', examples)
    .action(() => start(diagnose))
}

const examples = `
Every check prints ok, warn, fail or skip as soon as it is made, and a hint
how to fix it. Exits with the code of the first failure.

Examples:
  fh doctor
  fh doctor --profile work --json`

interface Verdict {
  /** `skip`: not possible, or pointless after an earlier failure. */
  readonly status: 'ok' | 'warn' | 'fail' | 'skip'
  readonly message: string
  /** How to fix it. */
  readonly hint: string | null
  /** For a failure, the exit code that other commands would end with. */
  readonly exitCode?: number
}

/** Looks at one thing each, by their names. What one throws is a failure. */
type Looks = Readonly<Record<string, () => Verdict | Promise<Verdict>>>

const ok = (message: string): Verdict => ({ status: 'ok', message, hint: null })
const skip = (message: string): Verdict => ({ status: 'skip', message, hint: null })
const warn = (message: string, hint: string): Verdict => ({ status: 'warn', message, hint })

function fail(error: unknown, hint?: string): Verdict {
  const { message, hint: usualHint, exitCode } = describeFailure(error)
  return { status: 'fail', message, hint: hint ?? usualHint, exitCode }
}

/** Makes the checks one after the other: each may rely on those before it. */
async function diagnose(context: Context): Promise<number> {
  const checks: (Omit<Verdict, 'exitCode'> & { readonly name: string })[] = []
  const { ledger, ...local } = localLooks(context)
  const looks: Looks = { ...local, ...networkLooks(context), ledger, ...serviceLooks(context) }
  let code = 0
  let why: string | undefined
  for (const [name, look] of Object.entries(looks)) {
    // The state folder has its place without the others.
    const isAlone = name === 'state'
    const skipped = isAlone || why === undefined ? undefined : skip(why)
    const made = async () => skipped ?? (await look())
    const { exitCode = 0, ...verdict } = await made().catch((error: unknown) => fail(error))
    code ||= exitCode
    checks.push({ name, ...verdict })
    const { status, message, hint } = verdict
    const line = `${status.padEnd(4)}  ${name.padEnd(11)}  ${printable(message)}`
    const text = hint ? `${line}\n      ${printable(hint)}` : line
    context.print({ data: { ok: code === 0, checks }, text })
    if (status === 'fail' && !isAlone) why ??= `see the ${name} check`
  }
  return code
}

function localLooks({ config, settings, profile, io, fleet }: Context) {
  return {
    config() {
      const given = settings()
      const { name, place, flag, profiles } = profile()
      const names = Object.keys(profiles)
      refuseEmptyKey(given)
      for (const settingName of settingNames) {
        try {
          readSetting(given, settingName)
        } catch (error) {
          return fail(error, given[settingName]?.source === 'profile' ? hints.set(settingName, flag) : undefined)
        }
      }
      if (place === undefined || names.includes(name)) return ok(`${config.path}, profile ${name}`)
      return warn(`${config.path} has no profile ${name}, given by ${place}`, hints.profiles(names, flag))
    },
    async state() {
      const folder = stateFolder(io.env)
      try {
        makePrivateFolder(folder)
        await access(folder, constants.W_OK | constants.X_OK)
        return ok(`${folder} can be written`)
      } catch (error) {
        const unwritable = new CliError('file-unwritable', `${folder} cannot be written: ${reasonOf(error)}`)
        return fail(unwritable, hints.stateFolder)
      }
    },
    /** Asks the Redis server of the setting `ledger`. */
    async ledger() {
      const shared = await fleet()
      if (shared === undefined) return skip('no ledger is set')
      const reading = await shared.read()
      if (!('reason' in reading))
        return ok(`${shared.server} answers; ${counted(reading.runners, 'other runner')} seen`)
      return fail(reading)
    },
  } satisfies Looks
}

/** Covers the whole seconds of a Date header, and what is usual between machines. */
const TOLERATED_SKEW_MS = 5_000

/** Checks the connection to the service step by step; each step may rely on those before it. */
function networkLooks(context: Context): Looks {
  const { settings, io, flags } = context
  const base = () => {
    const text = readSetting(settings(), 'base_url')
    if (text === undefined) throw usageError('No base URL is set', hints.account(''))
    return new URL(text)
  }
  const origin = () => ` (from ${settings().base_url?.origin})`
  const proxy = () => proxySetting(settings()) ?? asUsage(() => proxyFromEnvironment(base(), io.env))
  return {
    address() {
      const { href, protocol, hostname } = base()
      if (protocol === 'https:' || isLoopback(hostname)) return ok(`${href}${origin()}`)
      const message = `The key would be sent unencrypted to ${hostname}${origin()}`
      return flags.insecureHttp ? warn(message, hints.https) : fail(usageError(message), hints.https)
    },
    proxy() {
      const between = proxy()
      return ok(between === undefined ? 'none' : `${new URL(between.url).host} (from ${between.place})`)
    },
    async dns() {
      const between = proxy()
      const host = hostOf(new URL(between?.url ?? base()))
      if (isIP(host) !== 0) return ok(`${host} is an IP address`)
      try {
        const found = await lookup(host, { all: true })
        return ok(`${host} resolves to ${found.map(({ address }) => address).join(', ')}`)
      } catch (error) {
        const named = between === undefined ? origin() : `, the proxy (from ${between.place}),`
        return fail(new ConnectionError(`${host}${named} was not found: ${reasonOf(error)}`), hints.network)
      }
    },
    async tls() {
      if (base().protocol !== 'https:') return skip('plain http')
      if (proxy() !== undefined) return skip('the proxy makes the connection; see the key check')
      return await checkTls(base(), context)
    },
  }
}

async function checkTls(base: URL, { settings, interruption }: Context): Promise<Verdict> {
  const { connect } = await import('node:tls')
  const ca = await readCa(settings())
  const timeout = readSetting(settings(), 'timeout')
  const { stopping: signal } = interruption
  const host = hostOf(base)
  const name = isIP(host) === 0 && { servername: host }
  const socket = connect({ host, port: Number(base.port || 443), timeout, ...name, ...(ca !== undefined && { ca }) })
  socket.once('timeout', () => socket.destroy(new Error('it did not answer; a firewall may block the connection')))
  try {
    await once(socket, 'secureConnect', { signal })
    return ok(`${socket.getProtocol() ?? 'TLS'}, certificate valid until ${socket.getPeerCertificate().valid_to}`)
  } catch (error) {
    signal.throwIfAborted()
    const cause = openingError(error)
    return fail(new ConnectionError(`${base.host}: ${reasonOf(cause)}`, { cause }))
  } finally {
    socket.destroy()
  }
}

/** A longer wait for quota is reported instead. */
const LONGEST_WAIT_MS = 15_000

/** Checks the service with one statistics call, a unit, since failures are not retried. */
function serviceLooks(context: Context): Looks {
  let date = Number.NaN
  let [sentAt, receivedAt] = [0, 0]
  return {
    async key() {
      const { settings, clock, interruption } = context
      const onEvent = (event: ClientEvent) => {
        if (event.type === 'response') date = Date.parse(event.headers['date'] ?? '')
      }
      const client = await context.client({ retries: 0, maxWaitMs: LONGEST_WAIT_MS, onEvent })
      sentAt = clock.now()
      const { uploads } = await client.stats({ signal: interruption.stopping })
      receivedAt = clock.now()
      const source = keySetting(settings())
      const origin = source === undefined ? '' : ` (from ${source.origin})`
      return ok(`accepted${origin}; uploads: ${uploads}`)
    },
    clock() {
      if (Number.isNaN(date)) return skip('the service sends no Date header')
      // The header has whole seconds, and was written while the answer was awaited.
      const early = Math.max(sentAt - (date + 1_000), 0)
      const aheadMs = early > 0 ? early : Math.min(receivedAt - date, 0)
      if (Math.abs(aheadMs) <= TOLERATED_SKEW_MS) return ok("agrees with the service's clock")
      const off = `${formatDuration(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'}`
      return warn(`This machine's clock is ${off} the service's`, hints.clock)
    },
  }
}
