import { type ChildProcess, spawn } from 'node:child_process'
import { boundedProgram } from './bounded-program.ts'
import { longestSide } from './longest-side.ts'

/**
 * Decodes pictures in a process of its own, for what the image library takes and how long it goes on can be bounded
 * there alone, and a library that crashes takes nothing with it. The process serves one picture after the other, and is
 * ended when it has had nothing to do for a while.
 */
export interface ImageProcess {
  /**
   * A JPEG of a picture, given as bytes or as the path of its file.
   * @throws what the library says about it, or that it took too long; the reason of the signal where that aborts
   */
  thumbnail(picture: Uint8Array | string, signal: AbortSignal): Promise<Uint8Array>
}

/** What decoding may take: the largest raster twice, and Node with the library. Node 24 maps over 512 MiB at its start. */
const mostBytes = 1_073_741_824

const longestMs = 15_000

/** How long it may have nothing to do. */
const idleMs = 2_000

/** Runs in the other process, which ends with this one. */
const program = `
const sharp = require(process.argv[1])
sharp.cache(false)
sharp.concurrency(1)
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.on('message', async ({ picture, side }) => {
  try {
    const picked = sharp(picture, { limitInputPixels: 104857600, failOn: 'error', sequentialRead: true }).autoOrient()
    const sized = picked.resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
    process.send({ bytes: await sized.flatten({ background: '#ffffff' }).jpeg({ quality: 80 }).toBuffer() })
  } catch (error) {
    process.send({ reason: error.message })
  }
})
`

interface Answer {
  readonly bytes?: Uint8Array
  readonly reason?: string
}

/** @param library the path of the image library's entry */
export function createImageProcess(library: string): ImageProcess {
  let running: ChildProcess | undefined
  let idle: AbortSignal | undefined

  const start = (): ChildProcess => {
    const [shell, ...args] = boundedProgram([process.execPath, '-e', program, library], { memoryBytes: mostBytes })
    // What steers the Node of this process, as a test runner does, is not meant for that one.
    const { NODE_OPTIONS: _, ...env } = process.env
    const child = spawn(shell, args, {
      env,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      windowsHide: true,
    })
    const forget = () => {
      if (running === child) running = undefined
    }
    child.once('error', forget)
    child.once('exit', forget)
    return child
  }

  /** It does not end by itself: a picture could be on its way to it then, and would be taken for one that ended it. */
  const endWhenIdle = (child: ChildProcess) => {
    const over = AbortSignal.timeout(idleMs)
    const end = () => {
      if (idle !== over) return
      child.kill('SIGKILL')
      if (running === child) running = undefined
    }
    over.addEventListener('abort', end, { once: true })
    idle = over
  }

  const ask = (child: ChildProcess, picture: Uint8Array | string, signal: AbortSignal) =>
    new Promise<Uint8Array>((resolve, reject) => {
      const late = AbortSignal.timeout(longestMs)
      const settle = (finish: () => void) => {
        child.off('message', answered)
        child.off('exit', ended)
        child.off('error', fail)
        signal.removeEventListener('abort', abort)
        late.removeEventListener('abort', tooLong)
        hold(child, false)
        endWhenIdle(child)
        finish()
      }
      const fail = (error: unknown) => settle(() => reject(error))
      const kill = (error: unknown) => {
        child.kill('SIGKILL')
        if (running === child) running = undefined
        fail(error)
      }
      const abort = () => kill(signal.reason)
      const tooLong = () => kill(new Error(`The picture takes longer than ${longestMs / 1_000} s`))
      const answered = ({ bytes, reason }: Answer) =>
        bytes === undefined ? fail(new Error(reason)) : settle(() => resolve(bytes))
      const ended = () => fail(new Error('The picture takes more memory than there is for thumbnails'))
      child.on('message', answered)
      child.on('exit', ended)
      child.on('error', fail)
      signal.addEventListener('abort', abort)
      late.addEventListener('abort', tooLong)
      hold(child, true)
      idle = undefined
      child.send({ picture, side: longestSide }, (error) => error && fail(error))
    })

  return {
    thumbnail(picture, signal) {
      if (signal.aborted) return Promise.reject(signal.reason)
      running ??= start()
      return ask(running, picture, signal)
    },
  }
}

/** A process with nothing to do keeps nobody from ending. */
function hold(child: ChildProcess, isBusy: boolean): void {
  if (isBusy) {
    child.ref()
    child.channel?.ref()
  } else {
    child.unref()
    child.channel?.unref()
  }
}
