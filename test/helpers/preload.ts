import { virtualStartMs } from '../../emulator/clock/clock.ts'

/** An environment variable that has Node run this code before fh. */
function preload(code: string) {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` } as const
}

/**
 * Stops time in fh at the instant at which an emulator's virtual clock begins; waits of a second or more never end. So
 * neither the time of day nor the speed of the machine changes what is printed.
 */
export const stillTime = preload(`
const sooner = globalThis.setTimeout
globalThis.setTimeout = (done, ms, ...rest) => sooner(done, ms >= 1_000 ? 2 ** 31 - 1 : ms, ...rest)
Date.now = () => ${virtualStartMs}`)

/** Shortens waits of a second or more to a fiftieth; the time of day stays as it is. */
export const hurried = preload(`
const sooner = globalThis.setTimeout
globalThis.setTimeout = (done, ms, ...rest) => sooner(done, ms >= 1_000 ? ms / 50 : ms, ...rest)`)

/** The line that {@link reportedInterrupts} prints on stderr for each interrupt. */
export const interruptSeen = /^interrupt seen\n/m

/** Prints a line for each interrupt that fh gets: the system merges two that follow too fast. */
export const reportedInterrupts = preload(`process.on('SIGINT', () => process.stderr.write('interrupt seen\\n'))`)

/** At the first interrupt, starts work that never ends. */
export const endless = preload(`process.once('SIGINT', () => {
  process.stderr.write('interrupt seen\\n')
  setInterval(() => {}, 2 ** 30)
})`)

/** As {@link endless}, and stdout never drains. */
export const endlessUnread = preload(`process.once('SIGINT', () => {
  process.stderr.write('interrupt seen\\n')
  setInterval(() => {}, 2 ** 30)
  process.stdout.write = () => false
})`)
