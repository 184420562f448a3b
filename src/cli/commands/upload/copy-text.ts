import { spawn } from 'node:child_process'
import type { Clock } from '../../../index.ts'
import { isNotFound } from '../../../system/program-lookup.ts'
import type { Io } from '../../run/host.ts'
import { type ClipboardTool, clipboardInput, clipboardSequence, clipboardTools } from './clipboard-tools.ts'

/** How long a clipboard program may take. */
const LONGEST_MS = 5_000

const NOT_INSTALLED = 'not installed'

export type Copied =
  | { readonly type: 'copied' }
  /** The terminal does not report whether it copied. */
  | { readonly type: 'sent-to-terminal' }
  | { readonly type: 'failed'; readonly reason: string; readonly hint: string }

/** Copies a text to the clipboard with the first program that succeeds, else through the terminal. */
export async function copyText(
  text: string,
  { io, clock }: { readonly io: Io; readonly clock: Clock },
): Promise<Copied> {
  let reason = ''
  for (const tool of clipboardTools(io.env)) {
    const problem = await feed(tool, text, { io, clock })
    if (problem === undefined) return { type: 'copied' }
    // Programs that are not installed are not worth a message.
    reason = problem === NOT_INSTALLED ? reason : `${tool.command}: ${problem}`
  }
  if (!io.stderr.isTTY || io.env['TERM'] === 'dumb') {
    const hint = 'Install wl-clipboard, xclip or xsel, or run fh in a terminal'
    return { type: 'failed', reason: reason || 'no clipboard found', hint }
  }
  const sequence = clipboardSequence(text)
  if (sequence === undefined) {
    return {
      type: 'failed',
      reason: 'they are too long for the terminal',
      hint: 'Copy them from the output',
    }
  }
  io.stderr.write(sequence)
  return { type: 'sent-to-terminal' }
}

/** @returns the reason for a failure; undefined on success */
function feed(
  { command, args, encoding }: ClipboardTool,
  text: string,
  { io: { env }, clock }: { readonly io: Io; readonly clock: Clock },
): Promise<string | undefined> {
  return new Promise((resolve) => {
    // Some programs keep running to serve the clipboard. Ignoring their output lets fh end before them.
    const child = spawn(command, args, { env: { ...env }, stdio: ['pipe', 'ignore', 'ignore'] })
    const over = new AbortController()
    const end = (problem: string | undefined) => {
      over.abort()
      resolve(problem)
    }
    child.once('error', (error: NodeJS.ErrnoException) => {
      end(isNotFound(error, command, env) ? NOT_INSTALLED : (error.code ?? error.message))
    })
    child.once('exit', (code, signal) => end(code === 0 ? undefined : `ended with ${code ?? signal}`))
    child.stdin?.on('error', () => {}).end(clipboardInput(text, encoding))
    clock.sleep(LONGEST_MS, over.signal).then(
      () => child.kill(),
      () => {},
    )
  })
}
