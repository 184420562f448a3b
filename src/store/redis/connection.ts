import { createHash } from 'node:crypto'
import type { SecureContext } from 'node:tls'
import type { Clock } from '../../clock.ts'
import { installCommand } from '../../environment/install-command.ts'
import { StoreError } from '../store-error.ts'
import { problemOf, type ServerWords, schemeHint } from './problems.ts'
import { parseRedisUrl, type RedisAddress } from './url.ts'

export interface RedisConnectionOptions {
  /** `redis://` or `rediss://`. */
  readonly url: string
  /** Certificate authorities in PEM to trust besides those of Node. */
  readonly ca?: string | undefined
  /** Given to each script. */
  readonly keys: readonly string[]
  /** Bounds each call. */
  readonly clock: Clock
}

/** What commands go over. It is lost once and for all: the next call makes a new one. */
interface Line {
  /** Resolves once commands can be sent; rejects if that fails. */
  readonly ready: Promise<unknown>
  isReady: boolean
  /** Ends all calls on it. */
  readonly lost: PromiseWithResolvers<never>
  send(command: readonly string[]): Promise<unknown>
  /** Drops the connection. What was sent on it may run all the same. */
  drop(): void
}

/** How long a call may take, connecting included. */
const BOUND_MS = 1_000
/** Steps of the bound: a process that did not run for a while is late by one step, and does not blame the server. */
const STEPS = 4

/**
 * The connection to a Redis server. The first call opens it, and so does the first call after a failure and after `close`.
 * It does not keep the process alive. Each call ends within about a second; after an error it may have run all the same.
 */
export class RedisConnection {
  /** Given to each script. */
  readonly keys: readonly string[]
  readonly #address: RedisAddress
  readonly #ca: string | undefined
  readonly #clock: Clock
  readonly #words: ServerWords
  #trust: Promise<SecureContext> | undefined
  #line: Line | undefined
  #underWay = 0
  #isClosing = false

  /** @throws TypeError if the URL is none of a Redis server */
  constructor({ url, ca, keys, clock }: RedisConnectionOptions) {
    this.#address = parseRedisUrl(url)
    this.#ca = ca
    this.keys = keys
    this.#clock = clock
    const { host, port, username, password } = this.#address
    const name = `Redis at ${host.includes(':') ? `[${host}]` : host}:${port}`
    this.#words = { name, secrets: [password, username].filter((secret) => secret !== undefined) }
  }

  /**
   * Runs a program in Lua as one step: nothing else happens there meanwhile.
   * @returns text, numbers, null and arrays of these
   * @throws StoreError if the server cannot be reached, is too slow, or refuses
   */
  async run(script: string, args: readonly string[]): Promise<unknown> {
    this.#underWay += 1
    try {
      // What takes long the first time comes before the bound, so that the server does not pass for slow.
      const [redis, trust] = await Promise.all([loadRedisPackage(), this.#trusting()])
      this.#line ??= this.#connect(redis, trust)
      return await this.#bounded(this.#line, script, [String(this.keys.length), ...this.keys, ...args])
    } finally {
      this.#underWay -= 1
      if (this.#isClosing) this.close()
    }
  }

  /** Ends the connection once no call is under way. */
  close(): void {
    this.#isClosing = this.#underWay > 0
    if (this.#isClosing) return
    this.#line?.drop()
    this.#line = undefined
  }

  #trusting(): Promise<SecureContext> | undefined {
    if (this.#ca !== undefined && this.#address.isTls) this.#trust ??= trusting(this.#ca)
    return this.#trust
  }

  #connect({ createClient }: RedisPackage, secureContext: SecureContext | undefined): Line {
    const { isTls, host, port, username, password, database } = this.#address
    // The connection is never opened a second time, and repeats no command.
    const place = { host, port, connectTimeout: BOUND_MS, reconnectStrategy: false } as const
    const client = createClient({
      socket: isTls ? { ...place, tls: true, ...(secureContext && { secureContext }) } : place,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      database,
      RESP: 2,
      disableOfflineQueue: true,
      disableClientInfo: true,
      maintNotifications: 'disabled',
    })
    const fail = (error: unknown) => this.#lose(line, problemOf(error, this.#words))
    // It is an EventEmitter: an error without a listener would end the process.
    client.on('error', fail)
    client.unref()
    let isDropped = false
    const ready = client.connect().then(() => {
      line.isReady = true
      // A client that is destroyed while it connects may connect all the same.
      if (isDropped) client.destroy()
    })
    ready.catch(fail)
    const line: Line = {
      ready,
      isReady: false,
      lost: Promise.withResolvers<never>(),
      send: (command) => client.sendCommand([...command]),
      drop() {
        isDropped = true
        // Version 5 throws where there is nothing to destroy.
        if (client.isOpen) client.destroy()
      },
    }
    line.lost.promise.catch(() => {})
    return line
  }

  #lose(line: Line, problem: StoreError): void {
    if (this.#line !== line) return
    this.#line = undefined
    line.drop()
    line.lost.reject(problem)
  }

  /** The first call without an answer in time loses the line for all. */
  async #bounded(line: Line, script: string, rest: readonly string[]): Promise<unknown> {
    const over = new AbortController()
    bound(this.#clock, over.signal).then(
      () => this.#lose(line, this.#lateness(line)),
      () => {},
    )
    try {
      return await Promise.race([line.ready.then(() => evaluate(line, script, rest)), line.lost.promise])
    } catch (error) {
      const problem = problemOf(error, this.#words)
      // Behind the same name another server may take the writes by now.
      if (problem.failure === 'read-only') this.#lose(line, problem)
      throw problem
    } finally {
      over.abort()
    }
  }

  #lateness({ isReady }: Line): StoreError {
    const { name } = this.#words
    const seconds = BOUND_MS / 1_000
    if (isReady) return new StoreError('too-slow', `${name} did not answer within ${seconds} s`)
    const message = `${name} cannot be reached: no connection was made within ${seconds} s`
    return new StoreError('unreachable', message, { hint: schemeHint })
  }
}

async function evaluate({ send }: Line, script: string, rest: readonly string[]): Promise<unknown> {
  try {
    return await send(['EVALSHA', createHash('sha1').update(script).digest('hex'), ...rest])
  } catch (error) {
    // A server knows no scripts after its start, and none that another server was given.
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
    return await send(['EVAL', script, ...rest])
  }
}

async function bound(clock: Clock, signal: AbortSignal): Promise<void> {
  for (let step = 0; step < STEPS; step += 1) {
    await clock.sleep(BOUND_MS / STEPS, signal)
    // Node calls timers before it reads what has arrived meanwhile.
    await new Promise(setImmediate)
  }
  signal.throwIfAborted()
}

type RedisPackage = Pick<typeof import('@redis/client'), 'createClient'>

/** What TLS trusts: the authorities that Node has, those of NODE_EXTRA_CA_CERTS, and one's own. @param ca in PEM */
async function trusting(ca: string): Promise<SecureContext> {
  const { createSecureContext, getCACertificates } = await import('node:tls')
  return createSecureContext({ ca: [...getCACertificates('default'), ca] })
}

/** It has everything of `@redis/client`. */
const LARGER_PACKAGE = 'redis'

/** Loads the client of Redis when it is first needed. @throws StoreError where there is none, or it cannot be loaded */
async function loadRedisPackage(): Promise<RedisPackage> {
  const isMissing = (error: unknown) => /^(ERR_)?MODULE_NOT_FOUND$/.test(String(Reflect.get(Object(error), 'code')))
  try {
    return await import('@redis/client').catch((error: unknown) => {
      if (!isMissing(error)) throw error
      // By a name that bundlers do not follow: a program that bundles the one has not the other.
      return import(/* webpackIgnore: true */ /* @vite-ignore */ LARGER_PACKAGE)
    })
  } catch (error) {
    const install = installCommand('@redis/client')
    if (!isMissing(error)) {
      const message = `The package @redis/client cannot be loaded: ${error instanceof Error ? error.message : error}`
      throw new StoreError('failed', message, { hint: `Install it again: ${install}` })
    }
    const message = 'A ledger in Redis needs the package @redis/client, which is not installed'
    throw new StoreError('package-missing', message, { hint: `Install it: ${install}` })
  }
}
