import { spawn } from 'node:child_process'
import type { Clock } from '../../../../index.ts'
import { isNotFound } from '../../../../system/program-lookup.ts'
import type { Io } from '../../../context/host.ts'
import type { CopyProblem } from '../../../output/warnings.ts'
import { type ClipboardTool, clipboardInput, clipboardSequence, clipboardTools } from './clipboard-tools.ts'

/** How long a clipboard program may take. */
const LONGEST_MS = 5_000

const NOT_INSTALLED = 'not installed'

export type Copied =
  /** A terminal does not report whether it copied. */
  | { readonly type: 'sent'; readonly by: 'program' | 'terminal' }
  | { readonly type: 'failed'; readonly problem: CopyProblem }

/** Copies a text to the clipboard with the first program that succeeds, else through the terminal. */
export async function copyText(
  text: string,
  { io, clock }: { readonly io: Io; readonly clock: Clock },
): Promise<Copied> {
  let problem: CopyProblem = { type: 'no-clipboard' }
  for (const tool of clipboardTools(io.env)) {
    const reason = await feed(tool, text, { io, clock })
    if (reason === undefined) return { type: 'sent', by: 'program' }
    // Programs that are not installed are not worth a message.
    if (reason !== NOT_INSTALLED) problem = { type: 'program-failed', reason: `${tool.command}: ${reason}` }
  }
  if (!io.stderr.isTTY || io.env['TERM'] === 'dumb') return { type: 'failed', problem }
  const sequence = clipboardSequence(text)
  if (sequence === undefined) return { type: 'failed', problem: { type: 'too-long' } }
  io.stderr.write(sequence)
  return { type: 'sent', by: 'terminal' }
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
