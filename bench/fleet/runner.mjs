// One CI runner: `fh upload` with a state folder and a way to Redis of its own.
import { spawn } from 'node:child_process'
import { fh } from '../service.mjs'

/**
 * @param {{ add: (end: () => unknown) => void }} belongings
 * @param {{ env: Record<string, string> }} service
 * @param {{ paths: readonly string[], state: string, ledger?: string, limits?: string }} job
 * @returns the process, and its exit code and messages once it has ended
 */
export function startRunner(belongings, service, { paths, state, ledger, limits }) {
  const env = {
    PATH: process.env.PATH,
    ...service.env,
    FH_STATE_DIR: state,
    FH_CONFIG_DIR: state,
    ...(ledger && { FH_LEDGER: ledger }),
    ...(limits && { FH_LIMITS: limits }),
  }
  const child = spawn(process.execPath, [fh, 'upload', '--json', '--progress', 'none', ...paths], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  belongings.add(() => child.kill('SIGKILL'))
  let messages = ''
  child.stderr.on('data', (text) => {
    messages += text
  })
  const ended = new Promise((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, messages: messages.trim() }))
  })
  return { child, ended }
}

/** @returns how many pictures the service does not have, and how many copies it has too many */
export function compare(pictures, copies) {
  const counts = pictures.map(({ sha256 }) => copies.get(sha256) ?? 0)
  return {
    lost: counts.filter((count) => count === 0).length,
    doubled: counts.reduce((sum, count) => sum + Math.max(0, count - 1), 0),
  }
}

/** Says each message that a runner ended with once, with the number of runners that said it. */
export function printMessages(results) {
  const counts = new Map()
  for (const { code, messages } of results) {
    if (code === 0 && messages === '') continue
    const text = `exit ${code}: ${messages.replace(/127\.0\.0\.1:\d+/g, '127.0.0.1')}`.slice(0, 600)
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  for (const [text, count] of counts) console.log(`  ${count} of ${results.length} runners: ${text}`)
}
