import { readFile } from 'node:fs/promises'
import type { SecureContext } from 'node:tls'
import { invalidValue } from '../../checks/coded-error.ts'
import { kindOf } from '../../checks/quoted.ts'
import type { Clock } from '../../clock.ts'
import { FleetProblem } from '../../store/fleet-problem.ts'
import { connectRedis, type ReadyRedisClient, type RedisLine, readyLine } from './redis-line.ts'
import type { RedisLink, RedisScript } from './redis-link.ts'
import { loadRedisPackage } from './redis-package.ts'
import { problemOf, type ServerWords } from './redis-problems.ts'
import { schemeHint } from './redis-refusals.ts'
import { parseRedisUrl } from './redis-url.ts'

export type RedisLinkOptions = {
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

interface RedisServer extends ServerWords {
  /** Does what takes long the first time, so that the server does not pass for slow. @returns makes a line */
  prepare(): Promise<(onError: (error: unknown) => void) => RedisLine>
}

/**
 * The way to a Redis server. The first call connects, and so does the first call after a failure and after `close`. An
 * open connection does not keep the process alive.
 *
 * @throws TypeError if the URL is none of a Redis server, or the client can send no commands
 */
export function openRedisLink(options: RedisLinkOptions): RedisLink {
  const { keys, clock } = options
  const server = 'client' in options ? serverBehind(options.client) : serverAt(options)
  let line: ReturnType<typeof boundedLine> | undefined
  let tellLost = () => {}
  let underWay = 0
  let isClosing = false

  async function call<T>(work: (line: RedisLine) => Promise<T>): Promise<T> {
    underWay += 1
    try {
      const open = await server.prepare()
      if (line === undefined || line.isLost()) line = boundedLine(open, server, clock, () => tellLost())
      return await line.call(work)
    } finally {
      underWay -= 1
      if (isClosing) close()
    }
  }

  function close(): void {
    isClosing = underWay > 0
    if (!isClosing) line?.end()
  }

  return {
    send: (command) => call(({ send }) => send(command)),
    run: (script, args) => call(({ send }) => runScript(send, script, [String(keys.length), ...keys, ...args])),
    onLost(then) {
      tellLost = then
    },
    close,
  }
}

/** How long a call may take, connecting included. */
const BOUND_MS = 1_000
/** Steps of the bound: a process that did not run for a while is late by one step, and does not blame the server. */
const STEPS = 4

/**
 * A line whose calls end in time. The first call without an answer in time loses it for all. A lost line stays lost.
 * @param open gets a function for errors that belong to no call
 */
function boundedLine(
  open: (onError: (error: unknown) => void) => RedisLine,
  server: ServerWords,
  clock: Clock,
  onLost: () => void,
) {
  const pending = new Set<(problem: FleetProblem) => void>()
  let isReady = false
  let isLost = false
  const line = open((error) => lose(problemOf(error, server)))
  line.ready.then(
    () => {
      isReady = true
    },
    (error) => lose(problemOf(error, server)),
  )

  function lose(problem: FleetProblem): void {
    if (isLost) return
    isLost = true
    line.drop()
    for (const fail of pending) fail(problem)
    onLost()
  }

  /** @throws FleetProblem */
  async function call<T>(work: (line: RedisLine) => Promise<T>): Promise<T> {
    const over = new AbortController()
    let fail = (_: FleetProblem) => {}
    const lost = new Promise<never>((_, reject) => {
      fail = reject
    })
    pending.add(fail)
    bound(clock, over.signal).then(
      () => lose(lateness(server, isReady)),
      () => {},
    )
    try {
      return await Promise.race([line.ready.then(() => work(line)), lost])
    } catch (error) {
      const problem = problemOf(error, server)
      // Behind the same name another server may take the writes by now.
      if (problem.kind === 'read-only') lose(problem)
      throw problem
    } finally {
      pending.delete(fail)
      over.abort()
    }
  }

  /** Drops the line, which no call may use any more. */
  function end(): void {
    isLost = true
    line.drop()
  }

  return { isLost: () => isLost, call, end }
}

async function bound(clock: Clock, signal: AbortSignal): Promise<void> {
  for (let step = 0; step < STEPS; step += 1) {
    await clock.sleep(BOUND_MS / STEPS, signal)
    // Node calls timers before it reads what has arrived meanwhile.
    await new Promise(setImmediate)
  }
  signal.throwIfAborted()
}

function lateness({ name }: ServerWords, isReady: boolean): FleetProblem {
  const seconds = BOUND_MS / 1_000
  return isReady
    ? new FleetProblem('too-slow', `${name} did not answer within ${seconds} s`)
    : new FleetProblem('unreachable', `${name} cannot be reached: no connection was made within ${seconds} s`, {
        hint: schemeHint,
      })
}

async function runScript(
  send: RedisLine['send'],
  script: RedisScript,
  keysAndArguments: readonly string[],
): Promise<unknown> {
  try {
    return await send(['EVALSHA', script.digest, ...keysAndArguments])
  } catch (error) {
    // A server knows no scripts after its start, and none that another server was given.
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
    return send(['EVAL', script.text, ...keysAndArguments])
  }
}

function serverAt({ url, ca }: RedisServerOptions): RedisServer {
  const address = parseRedisUrl(url)
  const { host, port, username, password } = address
  const needsTrust = ca !== undefined && address.isTls
  let trust: Promise<SecureContext> | undefined
  return {
    name: `Redis at ${host.includes(':') ? `[${host}]` : host}:${port}`,
    secrets: [password, username].filter((secret) => secret !== undefined),
    async prepare() {
      if (needsTrust) trust ??= trusting(ca)
      const [redis, secureContext] = await Promise.all([loadRedisPackage(), trust])
      return (onError) => connectRedis(redis, { address, secureContext, connectTimeoutMs: BOUND_MS, onError })
    },
  }
}

/** What TLS trusts: the authorities that Node has, those of NODE_EXTRA_CA_CERTS, and one's own. @param ca in PEM */
async function trusting(ca: string): Promise<SecureContext> {
  const { createSecureContext, rootCertificates } = await import('node:tls')
  const file = process.env['NODE_EXTRA_CA_CERTS']
  // Node says so by itself if it cannot read the file.
  const extra = file ? await readFile(file, 'utf8').catch(() => '') : ''
  return createSecureContext({ ca: [...rootCertificates, ...(extra === '' ? [] : [extra]), ca] })
}

/** @throws TypeError if the client cannot send commands */
export function checkReadyClient(client: ReadyRedisClient): void {
  const canSend = ['call', 'sendCommand'].some((name) => typeof Reflect.get(Object(client), name) === 'function')
  if (!canSend) {
    throw invalidValue(
      `a client of Redis has the method sendCommand or call, such as that of redis or ioredis: this is ${kindOf(client)}`,
    )
  }
}

function serverBehind(client: ReadyRedisClient): RedisServer {
  checkReadyClient(client)
  return { name: 'Redis', secrets: [], prepare: async () => () => readyLine(client) }
}
