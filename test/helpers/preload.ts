import { virtualStartMs } from '../../emulator/clock.ts'

/** An environment in which this runs in fh before fh itself. */
function preload(code: string) {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` } as const
}

/**
 * In this environment time stands still, in all runs at the instant at which an emulator's virtual clock begins, and no
 * wait of a second or more ends. Then it does not matter how long a run takes, nor what time it is.
 */
export const stillTime = preload(`
const sooner = globalThis.setTimeout
globalThis.setTimeout = (done, ms, ...rest) => sooner(done, ms >= 1_000 ? 2 ** 31 - 1 : ms, ...rest)
Date.now = () => ${virtualStartMs}`)

/** What stands on stderr, a line for each, once fh has seen an interrupt. */
export const interruptSeen = /^interrupt seen\n/m

/** In this environment fh says when it has seen an interrupt: two that are sent before would count as one. */
export const toldInterrupts = preload(`process.on('SIGINT', () => process.stderr.write('interrupt seen\\n'))`)

/** In this environment something that nothing can end is begun when fh is first told to stop. */
export const endless = preload(`process.once('SIGINT', () => {
  process.stderr.write('interrupt seen\\n')
  setInterval(() => {}, 2 ** 30)
})`)

/** The same, and what has been printed is never taken. */
export const endlessUnread = preload(`process.once('SIGINT', () => {
  process.stderr.write('interrupt seen\\n')
  setInterval(() => {}, 2 ** 30)
  process.stdout.write = () => false
})`)
