import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { ConnectionError } from '../../../index.ts'
import { hostOf, isLoopback, type NamedProxy, proxyFromEnvironment } from '../../../internal.ts'
import { reasonOf } from '../../../system/system-errors.ts'
import { proxySetting, readWireSettings, type WireSettings } from '../../config/connection.ts'
import { describeOrigin, readSetting } from '../../config/settings.ts'
import type { Context } from '../../context/context.ts'
import { usageError } from '../../failures/cli-error.ts'
import { type Check, fail, ok, skip, skipAll, warn } from './check.ts'

/**
 * Checks the connection to the service step by step, and skips the steps after a failure.
 * @returns whether a request can reach the service, too
 */
export async function checkNetwork(context: Context) {
  const base = addressOf(context)
  if ('status' in base) {
    return { checks: [base, ...skipAll(['proxy', 'dns', 'tls'], 'the address is unknown')], reachable: false }
  }
  const address = addressCheck(base, context)
  const proxy = proxyOf(base, context)
  if (proxy !== undefined && 'status' in proxy) {
    return { checks: [address, proxy, ...skipAll(['dns', 'tls'], 'the proxy is unknown')], reachable: false }
  }
  const host = hostOf(new URL(proxy?.url ?? base.href))
  const proxyCheck = ok('proxy', proxy === undefined ? 'none' : `${new URL(proxy.url).host} (from ${proxy.place})`)
  const dns = await checkDns(host, proxy === undefined ? `base URL${originOf(context)}` : `proxy (from ${proxy.place})`)
  if (dns.status === 'fail')
    return { checks: [address, proxyCheck, dns, skip('tls', 'the host was not found')], reachable: false }
  const tls = await checkTls(base, proxy !== undefined, context)
  return { checks: [address, proxyCheck, dns, tls], reachable: tls.status !== 'fail' && address.status !== 'fail' }
}

function addressOf({ settings }: Context): URL | Check {
  try {
    const text = readSetting(settings(), 'base_url')
    if (text === undefined) throw usageError('No base URL is set', 'Run fh login, or set FH_BASE_URL')
    return new URL(text)
  } catch (error) {
    return fail('address', error)
  }
}

function addressCheck({ href, protocol, hostname }: URL, context: Context): Check {
  if (protocol === 'https:' || isLoopback(hostname)) return ok('address', `${href}${originOf(context)}`)
  const message = `The key would be sent unencrypted to ${hostname}${originOf(context)}`
  const hint = `Use ${href.replace('http:', 'https:')}`
  if (context.flags.insecureHttp) return warn('address', message, hint)
  return fail('address', usageError(message, `${hint}, or --insecure-http in a network you trust`))
}

/** What sets the address, in brackets. */
function originOf({ settings }: Context): string {
  const { base_url: setting } = settings()
  return setting === undefined ? '' : ` (from ${describeOrigin(setting.origin)})`
}

function proxyOf(base: URL, { settings, io }: Context): NamedProxy | undefined | Check {
  try {
    return proxySetting(settings()) ?? proxyFromEnvironment(base, io.env)
  } catch (error) {
    return fail('proxy', error instanceof TypeError ? usageError(error.message) : error)
  }
}

async function checkDns(host: string, named: string): Promise<Check> {
  if (isIP(host) !== 0) return ok('dns', `${host} is an IP address`)
  try {
    const found = await lookup(host, { all: true })
    return ok('dns', `${host} resolves to ${found.map(({ address }) => address).join(', ')}`)
  } catch (error) {
    const failure = new ConnectionError(`${host} was not found: ${reasonOf(error)}`)
    return fail('dns', failure, `Check the ${named}, the network and the name server`)
  }
}

const SOON_DAYS = 14
const DAY_MS = 86_400_000

async function checkTls(base: URL, proxied: boolean, context: Context): Promise<Check> {
  if (base.protocol !== 'https:') return skip('tls', 'plain http')
  if (proxied) return skip('tls', 'the proxy makes the connection; see the key check')
  const { connect } = await import('node:tls')
  const settings = await wireSettings(context)
  if ('status' in settings) return settings
  const { ca, idleTimeoutMs: timeout } = settings.transport
  const host = hostOf(base)
  return await new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(base.port || 443),
      timeout,
      ...(isIP(host) === 0 && { servername: host }),
      ...(ca !== undefined && { ca }),
    })
    const end = (check: Check) => {
      socket.destroy()
      resolve(check)
    }
    const stop = () => end(fail('tls', context.interruption.stopping.reason))
    context.interruption.stopping.addEventListener('abort', stop)
    socket.once('secureConnect', () =>
      end(certificateCheck(socket.getPeerCertificate(), socket.getProtocol(), context.clock.now())),
    )
    socket.once('timeout', () =>
      end(fail('tls', new ConnectionError(`${base.host} did not answer`), 'A firewall may block the connection')),
    )
    socket.once('error', (error) => {
      end(tlsFailure(base, error))
    })
  })
}

async function wireSettings({ settings }: Context): Promise<WireSettings | Check> {
  try {
    return await readWireSettings(settings())
  } catch (error) {
    return fail('tls', error)
  }
}

/** OpenSSL's errors when the service speaks plain http. */
const NOT_TLS = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/
/** The errors for a host that cannot be reached. */
const UNREACHABLE = /^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/

function tlsFailure(base: URL, error: NodeJS.ErrnoException): Check {
  const code = String(error.code)
  if (NOT_TLS.test(code)) return fail('tls', new ConnectionError(`${base.host} does not speak TLS`))
  // For a host with several addresses, Node gives only the code.
  const failure = new ConnectionError(`${base.host}: ${error.message || code}`)
  if (code === 'ECONNREFUSED') return fail('tls', failure)
  const hint = UNREACHABLE.test(code) ? 'Check the base URL' : 'Use --ca-cert FILE to trust a private authority'
  return fail('tls', failure, hint)
}

function certificateCheck(
  { valid_to, issuer }: { valid_to: string; issuer: object },
  protocol: string | null,
  now: number,
): Check {
  const days = Math.floor((Date.parse(valid_to) - now) / DAY_MS)
  const { O: organisation, CN: name } = issuer as { O?: string; CN?: string }
  const message = `${protocol ?? 'TLS'}, certificate by ${organisation ?? name ?? 'an unnamed authority'}, valid for ${days} days`
  return days < SOON_DAYS ? warn('tls', message, 'The operator of the service must renew it') : ok('tls', message)
}
