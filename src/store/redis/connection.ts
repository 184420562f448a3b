import { createHash } from 'node:crypto'
import * as tls from 'node:tls'
import type { Clock } from '../../clock.ts'
import { installCommand } from '../../environment/install-command.ts'
import { orAborted, shareSignal } from '../../system/signals.ts'
import { StoreError } from '../store-error.ts'
import { problemOf, type ServerWords, schemeHint } from './problems.ts'
import { parseRedisUrl, redisHost } from './url.ts'

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

interface RedisClient {
  sendCommand(words: string[]): Promise<unknown>
  /** Drops the connection. What was sent on it may run all the same. */
  destroy(): void
}

/** What commands go over. It is lost once and for all: the next call makes a new one. */
interface Line {
  readonly client: Promise<RedisClient>
  /** Ends all calls on it with the first error. */
  readonly lost: AbortController
  /** Resolves after the calls so far. */
  calls: Promise<unknown>
}

/**
 * How long a call may take, connecting included. The quota takes rows that are dated further back than this before the newest
 * for those of a clock that was set.
 */
const BOUND_MS = 1_500

/**
 * The connection to a Redis server. The first call opens it, and so does the first call after a failure and after `close`.
 * It does not keep the process alive. Each call ends within about 1.5 seconds; after an error it may have run all the same.
 */
export class RedisConnection {
  readonly #options: RedisConnectionOptions
  readonly #words: ServerWords
  #line: Line | undefined

  /** @throws TypeError if the URL is none of a Redis server */
  constructor(options: RedisConnectionOptions) {
    const url = parseRedisUrl(options.url)
    const secrets = [url.password, url.username].filter((secret) => secret !== '').map(decodeURIComponent)
    this.#options = options
    this.#words = { name: `Redis at ${redisHost(url)}`, secrets }
  }

  /**
   * Runs a program in Lua as one step: nothing else happens there meanwhile.
   * @returns text, numbers, null and arrays of these
   * @throws StoreError if the server cannot be reached, is too slow, or refuses
   */
  async run(script: string, args: readonly string[]): Promise<unknown> {
    const { keys, clock } = this.#options
    this.#line ??= this.#open()
    const line = this.#line
    const words = [String(keys.length), ...keys, ...args]
    const answer = line.client.then((client) => evaluate(client, script, words))
    // Without their answers: it lasts as long as the run.
    line.calls = Promise.allSettled([line.calls, answer]).then(() => {})
    const over = new AbortController()
    // What takes long the first time comes before the bound, so that the server does not pass for slow.
    const bound = loadRedisPackage().then(() => clock.sleep(BOUND_MS, over.signal))
    bound.then(
      () => this.#drop(line, this.#lateness()),
      () => {},
    )
    try {
      return await orAborted(answer, line.lost.signal)
    } catch (error) {
      // Behind the same name another server may answer by now.
      throw this.#drop(line, error)
    } finally {
      over.abort()
    }
  }

  /** Ends the connection once no call is under way. */
  close(): void {
    const line = this.#line
    this.#line = undefined
    void line?.calls.then(() => this.#drop(line, undefined))
  }

  #open(): Line {
    const lost = new AbortController()
    shareSignal(lost.signal)
    const line: Line = { client: this.#connect((error) => this.#drop(line, error)), lost, calls: Promise.resolve() }
    return line
  }

  async #connect(onError: (error: unknown) => void): Promise<RedisClient> {
    const { url, ca } = this.#options
    const { createClient } = await loadRedisPackage()
    const isOwn = ca !== undefined && url.trim().startsWith('rediss:')
    const client = createClient({
      url: url.trim(),
      // The connection is never opened a second time, and repeats no command.
      socket: {
        connectTimeout: BOUND_MS,
        reconnectStrategy: false,
        ...(isOwn && { tls: true, ca: [...tls.getCACertificates('default'), ca] }),
      },
      RESP: 2,
      disableOfflineQueue: true,
      disableClientInfo: true,
      maintNotifications: 'disabled',
    })
    // It is an EventEmitter: an error without a listener would end the process.
    client.on('error', onError)
    client.unref()
    await client.connect()
    return client
  }

  /** Ends a line. @returns why its calls end */
  #drop(line: Line, error: unknown): StoreError {
    if (this.#line === line) this.#line = undefined
    line.lost.abort(problemOf(error, this.#words))
    // Version 5 throws where there is nothing to destroy.
    line.client.then((client) => client.destroy()).catch(() => {})
    return line.lost.signal.reason
  }

  #lateness(): StoreError {
    const message = `${this.#words.name} did not answer within ${BOUND_MS / 1_000} s`
    return new StoreError('unreachable', message, { hint: schemeHint })
  }
}

async function evaluate(client: RedisClient, script: string, rest: readonly string[]): Promise<unknown> {
  try {
    return await client.sendCommand(['EVALSHA', createHash('sha1').update(script).digest('hex'), ...rest])
  } catch (error) {
    // A server knows no scripts after its start, and none that another server was given.
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
    return await client.sendCommand(['EVAL', script, ...rest])
  }
}

/** Loads the client of Redis when it is first needed. @throws StoreError where there is none, or it cannot be loaded */
async function loadRedisPackage(): Promise<Pick<typeof import('@redis/client'), 'createClient'>> {
  return await import('@redis/client').catch(() => {
    const message = 'A ledger in Redis needs the package @redis/client, which cannot be loaded'
    throw new StoreError('refused', message, { hint: `Install it: ${installCommand('@redis/client')}` })
  })
}
