import { createHash } from 'node:crypto'
import type { SecureContext } from 'node:tls'
import { invalidValue } from '../../checks/coded-error.ts'
import { kindOf } from '../../checks/quoted.ts'
import type { Clock } from '../../clock.ts'
import { installCommand } from '../../environment/install-command.ts'
import { StoreError } from '../store-error.ts'
import { problemOf, type ServerWords, schemeHint } from './problems.ts'
import { parseRedisUrl } from './url.ts'

/** A client of Redis that the caller has connected: of `redis` or `@redis/client`, of ioredis or iovalkey. */
export type ReadyRedisClient =
  | { sendCommand(command: string[]): Promise<unknown> }
  | { call(command: string, ...args: string[]): Promise<unknown> }

export type RedisConnectionOptions = {
  /** Given to each script. */
  readonly keys: readonly string[]
  /** Bounds each call. */
  readonly clock: Clock
} & (RedisServerOptions | { readonly client: ReadyRedisClient })

interface RedisServerOptions {
  /** `redis://` or `rediss://`. */
  readonly url: string
  /** Certificate authorities in PEM to trust besides those of Node. */
  readonly ca?: string | undefined
}

/** What commands go over. It is lost once and for all: the next call makes a new one. */
interface Line {
  /** Resolves once commands can be sent; rejects if that fails. */
  readonly ready: Promise<unknown>
  send(command: readonly string[]): Promise<unknown>
  /** Drops the connection. What was sent on it may run all the same. */
  drop(): void
}

/** A line, and what ends all calls on it. */
interface OpenLine extends Line {
  readonly lost: PromiseWithResolvers<never>
  isReady: boolean
}

interface Server extends ServerWords {
  /** Does what takes long the first time, so that the server does not pass for slow. @returns makes a line */
  prepare(): Promise<(onError: (error: unknown) => void) => Line>
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
  readonly #server: Server
  /** Given to each script. */
  readonly keys: readonly string[]
  readonly #clock: Clock
  #line: OpenLine | undefined
  #underWay = 0
  #isClosing = false

  /** @throws TypeError if the URL is none of a Redis server, or the client can send no commands */
  constructor(options: RedisConnectionOptions) {
    this.#server = 'client' in options ? serverBehind(options.client) : serverAt(options)
    this.keys = options.keys
    this.#clock = options.clock
  }

  /**
   * Runs a program in Lua as one step: nothing else happens there meanwhile.
   * @returns text, numbers, null and arrays of these
   * @throws StoreError if the server cannot be reached, is too slow, or refuses
   */
  async run(script: string, args: readonly string[]): Promise<unknown> {
    this.#underWay += 1
    try {
      const open = await this.#server.prepare()
      this.#line ??= this.#opened(open)
      return await this.#bounded(this.#line, script, [String(this.keys.length), ...this.keys, ...args])
    } finally {
      this.#underWay -= 1
      if (this.#isClosing) this.close()
    }
  }

  /** Ends the connection once no call is under way. A ready client of the caller's stays open. */
  close(): void {
    this.#isClosing = this.#underWay > 0
    if (this.#isClosing) return
    this.#line?.drop()
    this.#line = undefined
  }

  #opened(open: (onError: (error: unknown) => void) => Line): OpenLine {
    const fail = (error: unknown) => this.#lose(line, problemOf(error, this.#server))
    const line: OpenLine = { ...open(fail), lost: Promise.withResolvers<never>(), isReady: false }
    line.lost.promise.catch(() => {})
    line.ready.then(() => {
      line.isReady = true
    }, fail)
    return line
  }

  #lose(line: OpenLine, problem: StoreError): void {
    if (this.#line !== line) return
    this.#line = undefined
    line.drop()
    line.lost.reject(problem)
  }

  /** The first call without an answer in time loses the line for all. */
  async #bounded(line: OpenLine, script: string, rest: readonly string[]): Promise<unknown> {
    const over = new AbortController()
    bound(this.#clock, over.signal).then(
      () => this.#lose(line, this.#lateness(line)),
      () => {},
    )
    try {
      return await Promise.race([line.ready.then(() => evaluate(line, script, rest)), line.lost.promise])
    } catch (error) {
      const problem = problemOf(error, this.#server)
      // Behind the same name another server may take the writes by now.
      if (problem.failure === 'read-only') this.#lose(line, problem)
      throw problem
    } finally {
      over.abort()
    }
  }

  #lateness({ isReady }: OpenLine): StoreError {
    const { name } = this.#server
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

function serverAt({ url, ca }: RedisServerOptions): Server {
  const { isTls, host, port, username, password, database } = parseRedisUrl(url)
  let trust: Promise<SecureContext> | undefined
  function connect(
    { createClient }: RedisPackage,
    secureContext: SecureContext | undefined,
    onError: (error: unknown) => void,
  ): Line {
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
    let isDropped = false
    // It is an EventEmitter: an error without a listener would end the process.
    client.on('error', onError)
    client.unref()
    const drop = () => {
      isDropped = true
      // Version 5 throws where there is nothing to destroy.
      if (client.isOpen) client.destroy()
    }
    const ready = client.connect().then(() => {
      // A client that is destroyed while it connects may connect all the same.
      if (isDropped) client.destroy()
    })
    ready.catch(() => {})
    return { ready, drop, send: (command) => client.sendCommand([...command]) }
  }
  return {
    name: `Redis at ${host.includes(':') ? `[${host}]` : host}:${port}`,
    secrets: [password, username].filter((secret) => secret !== undefined),
    async prepare() {
      if (isTls && ca !== undefined) trust ??= trusting(ca)
      const [redis, secureContext] = await Promise.all([loadRedisPackage(), trust])
      return (onError) => connect(redis, secureContext, onError)
    },
  }
}

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

/** @throws TypeError if the client cannot send commands */
export function checkReadyClient(client: ReadyRedisClient): void {
  const canSend = ['call', 'sendCommand'].some((name) => typeof Reflect.get(Object(client), name) === 'function')
  if (canSend) return
  const needed = 'a client of Redis has the method sendCommand or call, such as that of redis or ioredis'
  throw invalidValue(`${needed}: this is ${kindOf(client)}`)
}

/** Calls go through a client of the caller's, which stays open and connects again by itself. */
function serverBehind(client: ReadyRedisClient): Server {
  checkReadyClient(client)
  const line: Line = {
    ready: Promise.resolve(),
    // ioredis has both, and its `sendCommand` takes an object of its own.
    send: async ([command = '', ...args]) =>
      textsOf(await ('call' in client ? client.call(command, ...args) : client.sendCommand([command, ...args]))),
    drop() {},
  }
  return { name: 'Redis', secrets: [], prepare: async () => () => line }
}

/** A client may be set to give bytes in place of text. */
function textsOf(answer: unknown): unknown {
  if (Buffer.isBuffer(answer)) return answer.toString()
  return Array.isArray(answer) ? answer.map(textsOf) : answer
}
