import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { access, constants, stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { dirname } from 'node:path'
import type { Command } from 'commander'
import { startTimer } from '../../clock.ts'
import { shellWord, usualShell } from '../../environment/shell-word.ts'
import { type Client, ConnectionError, TransportError, UnexpectedResponseError } from '../../index.ts'
import { hostOf, isLoopback, openingError, proxyFromEnvironment } from '../../internal.ts'
import { counted } from '../../protocol/quantities.ts'
import type { StoreError } from '../../store/store-error.ts'
import type { Environment } from '../../system/environment.ts'
import { makePrivateFolder } from '../../system/private-file.ts'
import { reasonOf } from '../../system/system-errors.ts'
import { stateFolder } from '../../system/user-folders.ts'
import { refuseEmptyKey } from '../config/api-key.ts'
import { proxySetting, readWireSettings } from '../config/connection.ts'
import type { FleetReading } from '../config/fleet.ts'
import { settingNames } from '../config/setting-definitions.ts'
import { checkSetting, describeOrigin, howToCorrect, placeInWords, readSetting } from '../config/settings.ts'
import type { CommandResult, Context, Start } from '../context/context.ts'
import { asUsage, CliError, usageError } from '../failures/cli-error.ts'
import { describeFailure } from '../failures/failure.ts'
import { formatDuration, printable, relativeTime } from '../format/format.ts'
import { alignColumns } from '../output/tables/columns.ts'

export function register(command: Command, start: Start): void {
  command
    .description('Check settings, connection and key, for two units.')
    .addHelpText('after', examples)
    .action(() => start(diagnose))
}

const examples = `
Every check ends with ok, warn, fail or skip, and a hint how to fix it; those
to act on come first, and those that take long last.
Exits with the code of the first failure.

Examples:
  fh doctor
  fh doctor --profile work --json`

interface CheckResult {
  /** `skip`: not possible, or pointless after an earlier failure. */
  readonly status: 'ok' | 'warn' | 'fail' | 'skip'
  readonly message: string
  /** How to fix it. */
  readonly hint: string | null
  /** For a failure, the exit code that other commands would end with; else 0. */
  readonly exitCode: number
  /** Whether the checks after this failure can be made all the same. */
  readonly goesOn?: true
}

type Check = CheckResult & { readonly name: string }

/** Looks at one thing each, by their names. What one throws is a failure. */
type Looks = Readonly<Record<string, () => CheckResult | Promise<CheckResult>>>

const ok = (message: string): CheckResult => ({ status: 'ok', message, hint: null, exitCode: 0 })
const skip = (message: string): CheckResult => ({ status: 'skip', message, hint: null, exitCode: 0 })
const warn = (message: string, hint: string): CheckResult => ({ status: 'warn', message, hint, exitCode: 0 })

function fail(error: unknown, hint?: string): CheckResult {
  const { message, hint: usualHint, exitCode } = describeFailure(error)
  return { status: 'fail', message, hint: hint ?? usualHint, exitCode }
}

/** A check that takes longer, as where it waits for quota, does not hold back what is known already. */
const SOON_MS = 300

async function diagnose(context: Context): Promise<CommandResult> {
  const known: Check[] = []
  let printed = 0
  const failed = () => known.find(({ status }) => status === 'fail')
  const print = () => {
    const checks = known.map(({ name, status, message, hint }) => ({ name, status, message, hint }))
    const data = { ok: failed() === undefined, checks }
    context.print({ data, text: diagnosisText(known.slice(printed)), isProse: true })
    printed = known.length
  }
  known.push(...(await Promise.all(Object.entries(localLooks(context)).map(([name, look]) => check(name, look)))))
  const isBroken = failed()?.name === 'config'
  const stopTimer = startTimer(context.clock, SOON_MS, print)
  try {
    if (!isBroken) known.push(...(await inTurn(ledgerLooks(context))))
    const isAlone =
      failed()?.name === 'ledger' || known.some(({ name, status }) => name === 'runners' && status === 'warn')
    const looks = { ...networkLooks(context), ...serviceLooks(context, isAlone) }
    known.push(...(await inTurn(looks, isBroken ? 'fix config first' : undefined)))
  } finally {
    stopTimer()
  }
  print()
  return { type: 'exit', code: failed()?.exitCode ?? 0 }
}

async function check(name: string, look: Looks[string]): Promise<Check> {
  try {
    return { name, ...(await look()) }
  } catch (error) {
    return { name, ...fail(error) }
  }
}

/** One after the other; once one has failed, the others are skipped. */
async function inTurn(looks: Looks, reason?: string): Promise<readonly Check[]> {
  const checks: Check[] = []
  let why = reason
  for (const [name, look] of Object.entries(looks)) {
    const verdict = why === undefined ? await check(name, look) : { name, ...skip(why) }
    if (verdict.status === 'fail' && !verdict.goesOn) why ??= `see the ${name} check`
    checks.push(verdict)
  }
  return checks
}

/** What a person can act on comes first. */
const urgency = ['fail', 'warn', 'ok', 'skip']

function diagnosisText(checks: readonly Check[]): string {
  const sorted = checks.toSorted((a, b) => urgency.indexOf(a.status) - urgency.indexOf(b.status))
  // Those that are printed later stand below those that were printed at once.
  const lines = alignColumns(
    sorted.map(({ status, name, message }) => [status.padEnd(4), name.padEnd(11), printable(message)]),
  )
  return lines
    .flatMap((line, index) => {
      const hint = sorted[index]?.hint
      return hint ? [line, `      ${printable(hint)}`] : [line]
    })
    .join('\n')
}

function localLooks({ config, settings, profile, io: { env } }: Context): Looks {
  return {
    config() {
      const given = settings()
      refuseEmptyKey(given)
      for (const settingName of settingNames) {
        const setting = given[settingName]
        if (setting === undefined || setting.origin.type === 'default') continue
        try {
          checkSetting(settingName, setting.value, placeInWords(settingName, setting))
        } catch (error) {
          return fail(error, describeFailure(error).hint ?? howToCorrect(settingName, setting))
        }
      }
      const { name, place, flag, known } = profile()
      const names = known()
      if (place === undefined || names.includes(name)) return ok(`${config.path}, profile ${name}`)
      const hint = `Profiles: ${names.join(', ') || 'none'}; fh login${flag} adds it`
      return warn(`${config.path} has no profile ${name}, given by ${place}`, hint)
    },
    permissions: () => checkPermissions(config.path, env),
    async state() {
      const folder = stateFolder(env)
      try {
        makePrivateFolder(folder)
        await access(folder, constants.W_OK | constants.X_OK)
        return ok(`${folder} can be written`)
      } catch (error) {
        const hint = 'Check its permissions, or set FH_STATE_DIR to another folder'
        return fail(new CliError('file-unwritable', `${folder} cannot be written: ${reasonOf(error)}`), hint)
      }
    },
  }
}

/** Whether the stored key is protected from other users. */
async function checkPermissions(configFile: string, env: Environment): Promise<CheckResult> {
  if (process.platform === 'win32') return skip('Windows protects your folders from other users')
  // The user may share a folder of their own choice with others.
  const folders = [
    ...(env['FH_CONFIG_DIR'] ? [] : [dirname(configFile)]),
    ...(env['FH_STATE_DIR'] ? [] : [stateFolder(env)]),
  ]
  const look = async (path: string) => ({ path, stats: await stat(path).catch(() => undefined) })
  const found = (await Promise.all([configFile, ...folders].map(look))).filter(({ stats }) => stats !== undefined)
  if (found.length === 0) return ok('nothing is stored yet')
  const open = found.flatMap(({ path, stats }) => ((stats?.mode ?? 0) & 0o077 ? [path] : []))
  if (open.length === 0) return ok('only you can read the stored files')
  const words = open.map((path) => shellWord(path, usualShell(env)))
  return warn(`Other users of this machine can open ${open.join(', ')}`, `Run chmod go= ${words.join(' ')}`)
}

/** Covers the whole seconds of a Date header, and what is usual between machines. */
const TOLERATED_SKEW_MS = 5_000

/** @param aheadMs how far this machine's clock is ahead of the other, of `whose` */
function clockVerdict(aheadMs: number, whose: string): CheckResult {
  if (Math.abs(aheadMs) <= TOLERATED_SKEW_MS) return ok(`agrees with ${whose} clock`)
  const off = `${formatDuration(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'}`
  const hint = 'Set the clock, or enable network time: waits for quota depend on it'
  return warn(`This machine's clock is ${off} ${whose}`, hint)
}

const DAY_MS = 86_400_000

/** Checks the Redis server of the setting `ledger`; none where it is not set. Sends nothing to the service. */
function ledgerLooks(context: Context): Looks {
  if (context.settings().ledger === undefined) return {}
  let reading: FleetReading | undefined
  const onceRead = (judge: (reading: FleetReading) => CheckResult) => () =>
    reading === undefined ? skip('see the ledger check') : judge(reading)
  return {
    async ledger() {
      const fleet = await context.fleet().catch((error: unknown) => error as Error)
      if (fleet === undefined || fleet instanceof Error) return skip(`no account: ${fleet?.message}`)
      const checked = await fleet.check()
      if ('reason' in checked) return outage(checked)
      reading = checked
      const { software = 'a server', warning, roundTripMs } = checked
      const within = `answers within ${Math.ceil(roundTripMs)} ms`
      const message = `${software} at ${fleet.server} ${within} and permits all that is needed`
      if (warning === undefined) return ok(message)
      const hint = 'Set maxmemory-policy noeviction, or give the ledger a small server of its own'
      return warn(`${message}. ${warning}`, hint)
    },
    runners: onceRead(({ runners, since, hasLost }) => {
      const now = context.clock.now()
      const seen = `${counted(runners, 'other runner')} seen within half a minute`
      // The longest window counts what was sent within a day.
      if (!hasLost || now - since > DAY_MS) return ok(`${seen}; counted since ${new Date(since).toISOString()}`)
      const lost = `Redis began again ${relativeTime(since, now) ?? 'long ago'}`
      const hint = 'If it was not restarted: is its memory full, or does another program empty it?'
      return warn(`${seen}; ${lost}: it was restarted, or has lost data`, hint)
    }),
    'ledger-clock': onceRead(({ aheadMs }) => clockVerdict(-aheadMs, "Redis'")),
  }
}

function outage({ reason, hint, isPassing }: StoreError): CheckResult {
  const error = isPassing ? new ConnectionError(reason) : new CliError('ledger-unusable', reason)
  return fail(error, hint ?? 'Check FH_LEDGER or the ledger of the profile, and whether the server runs')
}

/** Checks the connection to the service step by step; each step may rely on those before it. */
function networkLooks(context: Context): Looks {
  const { settings, io, flags } = context
  const base = () => {
    const text = readSetting(settings(), 'base_url')
    if (text === undefined) throw usageError('No base URL is set', 'Run fh login, or set FH_BASE_URL')
    return new URL(text)
  }
  const origin = () => ` (from ${describeOrigin(settings().base_url?.origin ?? { type: 'default' })})`
  const proxy = () => proxySetting(settings()) ?? asUsage(() => proxyFromEnvironment(base(), io.env))
  return {
    address() {
      const { href, protocol, hostname } = base()
      if (protocol === 'https:' || isLoopback(hostname)) return ok(`${href}${origin()}`)
      const message = `The key would be sent unencrypted to ${hostname}${origin()}`
      const hint = `Use ${href.replace('http:', 'https:')}`
      if (flags.insecureHttp) return warn(message, hint)
      return fail(usageError(message), `${hint}, or --insecure-http in a network you trust`)
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
        const named = between === undefined ? `base URL${origin()}` : `proxy (from ${between.place})`
        const hint = `Check the ${named}, the network and the name server`
        return fail(new ConnectionError(`${host} was not found: ${reasonOf(error)}`), hint)
      }
    },
    async tls() {
      if (base().protocol !== 'https:') return skip('plain http')
      if (proxy() !== undefined) return skip('the proxy makes the connection; see the key check')
      return await checkTls(base(), context)
    },
  }
}

async function checkTls(base: URL, { settings, interruption, clock }: Context): Promise<CheckResult> {
  const { connect } = await import('node:tls')
  const { ca, idleTimeoutMs: timeout } = (await readWireSettings(settings())).transport
  const { stopping: signal } = interruption
  const host = hostOf(base)
  const name = isIP(host) === 0 && { servername: host }
  const socket = connect({ host, port: Number(base.port || 443), timeout, ...name, ...(ca !== undefined && { ca }) })
  const silent = new ConnectionError(`${base.host} did not answer`)
  socket.once('timeout', () => socket.destroy(silent))
  try {
    await once(socket, 'secureConnect', { signal })
    return certificateVerdict(socket.getPeerCertificate(), socket.getProtocol(), clock.now())
  } catch (error) {
    signal.throwIfAborted()
    return error === silent ? fail(silent, 'A firewall may block the connection') : tlsFailure(base, error as Error)
  } finally {
    socket.destroy()
  }
}

/** The errors for a host that cannot be reached. */
const UNREACHABLE = /^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/

function tlsFailure(base: URL, error: NodeJS.ErrnoException): CheckResult {
  const cause = openingError(error)
  const isPlain = cause instanceof TransportError && cause.failure === 'wrong-scheme'
  const what = isPlain ? ' does not speak TLS' : `: ${cause instanceof Error ? cause.message : error.code}`
  const hint = UNREACHABLE.test(String(error.code)) ? 'Check the base URL' : undefined
  return fail(new ConnectionError(`${base.host}${what}`, { cause }), hint)
}

const SOON_DAYS = 14

function certificateVerdict(
  { valid_to, issuer }: { valid_to: string; issuer: object },
  protocol: string | null,
  now: number,
): CheckResult {
  const days = Math.floor((Date.parse(valid_to) - now) / DAY_MS)
  const { O: organisation, CN: name } = issuer as { O?: string; CN?: string }
  const by = organisation ?? name ?? 'an unnamed authority'
  const message = `${protocol ?? 'TLS'}, certificate by ${by}, valid for ${days} days`
  return days < SOON_DAYS ? warn(message, 'The operator of the service must renew it') : ok(message)
}

/** A longer wait for quota is reported instead. */
const LONGEST_WAIT_MS = 15_000

/** Checks the service with one statistics and one list call: two units, since failures are not retried. */
function serviceLooks(context: Context, isAlone: boolean): Looks {
  const { settings, clock, interruption } = context
  let client: Client
  let headers: Readonly<Record<string, string>> = {}
  let [sentAt, receivedAt] = [0, 0]
  const ask = async (path: string) => {
    sentAt = clock.now()
    const { error, ...answer } = await client.request('GET', path, { signal: interruption.stopping })
    if (error !== undefined) throw error
    receivedAt = clock.now()
    return answer
  }
  return {
    async key() {
      client = await context.client({ retries: 0, maxWaitMs: LONGEST_WAIT_MS, isAlone })
      const answer = await ask('/api/stats')
      headers = answer.headers
      const { api_key: key, api_key_file: file, key_command: command } = settings()
      const source = key ?? file ?? command
      const { uploads } = Object(answer.body)
      if (typeof uploads !== 'number' && typeof uploads !== 'string') {
        return { ...fail(notTheService('statistics have'), 'Check the base URL'), goesOn: true }
      }
      const origin = source === undefined ? '' : ` (from ${describeOrigin(source.origin)})`
      return ok(`accepted${origin}; uploads: ${uploads}`)
    },
    clock() {
      const date = Date.parse(headers['date'] ?? '')
      if (Number.isNaN(date)) return skip('the service sends no Date header')
      // The header has whole seconds, and was written while the answer was awaited.
      const early = Math.max(sentAt - (date + 1_000), 0)
      return clockVerdict(early > 0 ? early : Math.min(receivedAt - date, 0), "the service's")
    },
    async list() {
      const { data, total } = Object((await ask('/api/uploads')).body)
      return Array.isArray(data) ? ok(`readable; uploads: ${total}`) : fail(notTheService('list has'))
    },
  }
}

function notTheService(what: string): UnexpectedResponseError {
  return new UnexpectedResponseError(`The server is not the service: its ${what} no uploads`, {})
}
