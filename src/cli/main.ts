import { closeSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../package.json'
import { useCompiledCode } from '../system/compiled-code.ts'
import { isDevice } from '../system/devices.ts'
import { isBun } from '../system/runtime.ts'

const argv = process.argv.slice(2)
const [word = ''] = argv

// Scripts ask for the version often, so it is printed before any other code is loaded.
if (argv.length === 1 && /^(-V|--version)$/.test(word) && writeAtOnce(`${version}\n`).length === 0) {
  process.once('exit', leaveTerminal)
} else void start()

/** @returns what standard output has not taken: its stream waits, or knows why */
function writeAtOnce(text: string): Uint8Array {
  let left = Buffer.from(text)
  // The console of Windows takes bytes in an encoding of its own.
  if (process.platform === 'win32') return left
  try {
    while (left.length > 0) left = left.subarray(writeSync(1, left))
  } catch {}
  return left
}

async function start(): Promise<void> {
  if (!isBun) useCompiledCode({ program: join(__dirname, 'cli'), version, words: argv, env: process.env })
  const { startRun } = await import('./run/start-run.ts')
  startRun(argv, { writeAtOnce, leaveTerminal })
}

const standardStreams = [0, 1, 2] as const

/**
 * Closes the standard streams that lead to a terminal, if others lead to a pipe or a file. To be called as the process
 * exits. Node sets terminals of standard streams back to the state that they had when the process started. In a pipeline
 * that is wrong: in `fh list | fzf` it takes the keyboard from fzf, and after `fzf | fh delete --from-stdin` the shell would
 * get the state that fzf had set.
 */
function leaveTerminal(): void {
  // The null device may be closed too.
  const terminals = standardStreams.filter(isDevice)
  if (terminals.length === standardStreams.length) return
  for (const descriptor of terminals) {
    try {
      closeSync(descriptor)
    } catch {
      // It has been closed already.
    }
  }
}
