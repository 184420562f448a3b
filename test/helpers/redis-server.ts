import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@redis/client'
import { onTestFinished, TestRunner } from 'vitest'
import { deadAddress } from './dead-address.ts'
import { installedServer } from './installed-server.ts'
import { tlsFiles } from './tls.ts'

export interface RedisServerOptions {
  /** TLS with the certificate of test/fixtures/tls, for `localhost`, `127.0.0.1` and `::1`. Default: false. */
  readonly isTls?: boolean
  /** Further arguments of redis-server, such as `['--maxmemory', '2mb']`. */
  readonly args?: readonly string[]
}

/** A real Redis server of one test, which keeps nothing on disk. */
export type RedisServer = Awaited<ReturnType<typeof startRedis>>

const program = installedServer('redis-server')

/**
 * The URL of a Redis server for a test with keys of its own: that which `FH_TEST_REDIS_URL` names, else one that the end
 * of the test ends. Skips the test where there is neither.
 */
export async function redisUrl(): Promise<string> {
  return process.env['FH_TEST_REDIS_URL'] ?? (await startRedis()).url
}

/** Starts a server of the test's own, and ends it with the test. Skips the test where redis-server is not installed. */
export async function startRedis({ isTls = false, args = [] }: RedisServerOptions = {}) {
  if (program === undefined) {
    // Throws.
    TestRunner.getCurrentTest()?.context.skip(
      'left out: this machine has no redis-server; `apt install redis-server` or `brew install redis` brings it',
    )
    throw new Error('redis-server is not installed')
  }
  const folder = await mkdtemp(join(tmpdir(), 'fh-redis-'))
  const files = ['--dir', folder, '--unixsocket', `${folder}/socket`, '--logfile', `${folder}/log`]
  const pem = ['--tls-cert-file', tlsFiles.cert, '--tls-key-file', tlsFiles.key]
  const tls = ['--port', '0', ...pem, '--tls-auth-clients', 'no', '--tls-port']
  const listening = ['--save', '', '--appendonly', 'no', '--bind', '127.0.0.1', ...(isTls ? tls : ['--port'])]
  const start = (port: number) => run([program, ...files, ...listening, String(port), ...args], folder)
  let port = 0
  let running: Running | undefined
  for (let tries = 1; running === undefined; tries += 1) {
    port = Number(new URL(await deadAddress()).port)
    // Another program may have taken the port meanwhile.
    running = await start(port).catch((error) => (tries < 5 ? undefined : Promise.reject(error)))
  }

  const withRunning = (): Running => {
    if (running === undefined) throw new Error('the Redis server was killed')
    return running
  }
  async function kill(): Promise<void> {
    const { pid, admin, guard } = withRunning()
    running = undefined
    admin.destroy()
    process.kill(pid, 'SIGKILL')
    guard.stdin.end()
    await once(guard, 'exit')
  }
  onTestFinished(async () => {
    if (running !== undefined) await kill()
    await rm(folder, { recursive: true, force: true })
  })
  const send = (...words: readonly string[]): Promise<unknown> => withRunning().admin.sendCommand([...words])
  return {
    url: `redis${isTls ? 's' : ''}://127.0.0.1:${port}`,
    port,
    /** Sends a command on a connection of its own, which keeps the rights that it had at the start. */
    command: send,
    /** Ends it as `kill -9` does: what it had in memory is lost. */
    kill,
    /** Starts it at the same port again, after `kill`. */
    async start(): Promise<void> {
      for (let tries = 1; running === undefined; tries += 1) {
        // A connection that was tried meanwhile may hold the port for a moment.
        running = await start(port).catch((error) => (tries < 20 ? undefined : Promise.reject(error)))
        if (running === undefined) await sleep(50)
      }
    },
    /** Stops it as SIGSTOP does: connections stay, and no answers come. */
    freeze: () => void process.kill(withRunning().pid, 'SIGSTOP'),
    thaw: () => void process.kill(withRunning().pid, 'SIGCONT'),
    /** Moves the beginning of each fleet's memory so far into the past: contents can be claimed half a minute after it. */
    async age(ms: number): Promise<void> {
      for (const key of Object.values((await send('KEYS', '*:state')) ?? []))
        await send('HINCRBY', String(key), 'since', String(-ms))
    },
  }
}

/** The shell ends the server when this process ends in any way: its standard input is over then. */
const GUARD = '"$@" & echo $!; cat >/dev/null; kill -9 $! 2>/dev/null'

type Running = Awaited<ReturnType<typeof run>>

async function run(command: readonly string[], folder: string) {
  const guard = spawn('sh', ['-c', GUARD, 'sh', ...command], { stdio: ['pipe', 'pipe', 'ignore'] })
  const [chunk] = await once(guard.stdout, 'data')
  const pid = Number(String(chunk))
  for (;;) {
    const admin = adminOf(`${folder}/socket`)
    const isOpen = await admin.connect().then(
      () => true,
      () => false,
    )
    if (isOpen) return { pid, guard, admin }
    if (!isAlive(pid)) throw new Error(`redis-server ended: ${await readFile(`${folder}/log`, 'utf8')}`)
    await sleep(5)
  }
}

function adminOf(path: string) {
  const admin = createClient({ socket: { path, reconnectStrategy: false }, RESP: 2 })
  admin.on('error', () => {})
  return admin
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
