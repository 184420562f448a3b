import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

export interface Ended {
  /** Null if a signal ended it. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Default: 120,000 ms. */
  readonly longestMs?: number
  readonly signal?: AbortSignal
}

/**
 * Runs a program to its end. All its processes are killed after a while, or on an abort.
 *
 * @throws Error with what it had printed, if it took too long or cannot be started
 */
export async function runProgram(
  folder: string,
  program: string,
  args: readonly string[],
  { env = {}, longestMs = 120_000, signal }: RunOptions = {},
): Promise<Ended> {
  const bounds = AbortSignal.any([AbortSignal.timeout(longestMs), ...(signal ? [signal] : [])])
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // All of them have ended.
    }
  }
  bounds.addEventListener('abort', kill)
  try {
    const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
    if (!bounds.aborted) return { code, stdout, stderr }
    throw new Error(
      `${program} ${args.join(' ')} did not end within ${longestMs} ms and was killed.\n${stdout}${stderr}`,
    )
  } finally {
    bounds.removeEventListener('abort', kill)
  }
}
