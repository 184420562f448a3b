import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { isIP } from 'node:net'
import { ConnectionError, TransportError } from '../../../index.ts'
import { hostOf, isLoopback, openingError, proxyFromEnvironment } from '../../../internal.ts'
import { reasonOf } from '../../../system/system-errors.ts'
import { proxySetting, readWireSettings } from '../../config/connection.ts'
import { describeOrigin, readSetting } from '../../config/settings.ts'
import type { Context } from '../../context/context.ts'
import { asUsage, usageError } from '../../failures/cli-error.ts'
import { type CheckResult, fail, type Look, ok, skip, warn } from './check.ts'

/** Checks the connection to the service step by step; each step may rely on those before it. */
export function networkLooks(context: Context): Readonly<Record<'address' | 'proxy' | 'dns' | 'tls', Look>> {
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
    tls: async () => {
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
const DAY_MS = 86_400_000

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
