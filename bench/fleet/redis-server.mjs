// A Redis server of the run's own, on a random port of loopback, which keeps nothing on the disk unless asked to.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../free-port.mjs'

const execute = promisify(execFile)

export async function startRedis(belongings) {
  const port = await freePort()
  let child = await start()
  belongings.add(() => child.kill('SIGKILL'))

  async function start() {
    const flags = ['--port', String(port), '--bind', '127.0.0.1', '--dir', belongings.folder]
    const started = spawn('redis-server', [...flags, '--save', '', '--appendonly', 'no'], { stdio: 'ignore' })
    await Promise.race([once(started, 'spawn'), once(started, 'error').then(([error]) => Promise.reject(error))])
    for (let tries = 0; tries < 200; tries += 1) {
      if ((await command('PING').catch(() => '')) === 'PONG') return started
      await sleep(50)
    }
    started.kill('SIGKILL')
    throw new Error('redis-server does not answer')
  }

  /** @returns the answer as redis-cli prints it */
  async function command(...words) {
    const { stdout } = await execute('redis-cli', ['-p', String(port), '--raw', ...words], { maxBuffer: 1e8 })
    return stdout.trim()
  }

  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    command,
    /** Keeps a copy from which `restart` can begin. */
    save: () => command('SAVE'),
    /** Kills the server and starts it again, from the saved copy or empty. */
    async restart({ from, downMs = 1_000 }) {
      child.kill('SIGKILL')
      await once(child, 'exit')
      if (from === 'nothing') await rm(join(belongings.folder, 'dump.rdb'), { force: true })
      await sleep(downMs)
      child = await start()
    },
    /** @returns how often each command ran, by name in capitals */
    async commandCounts() {
      const lines = (await command('INFO', 'commandstats')).matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)
      return Object.fromEntries([...lines].map(([, name, calls]) => [name.toUpperCase(), Number(calls)]))
    },
    /** @returns the key's size in bytes and seconds until it expires (-1 = never), for each key */
    async keys() {
      const names = (await command('KEYS', '*')).split('\n').filter(Boolean).sort()
      return Promise.all(
        names.map(async (name) => ({
          key: name.replace(/\{.*\}/, '{…}'),
          bytes: Number(await command('MEMORY', 'USAGE', name, 'SAMPLES', '0')),
          ttl: Number(await command('TTL', name)),
        })),
      )
    },
  }
}
