import { type ChildProcess, spawn } from 'node:child_process'
import { boundedProgram, longestSide } from './thumbnail-tools.ts'

/** Twice the largest raster, plus Node and the library. Node 24 maps over 512 MiB at its start. */
const maxMemoryBytes = 1_073_741_824

const defaultTimeoutMs = 15_000

const idleMs = 2_000

/** Runs in the separate process, which ends with this one. */
const program = `
const sharp = require(process.argv[1])
sharp.cache(false)
sharp.concurrency(1)
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.on('message', async ({ picture, side }) => {
  try {
    const picked = sharp(picture, { limitInputPixels: 104857600, failOn: 'error', sequentialRead: true })
    const { width, height, channels, depth } = await picked.metadata()
    const rasterBytes = width * height * channels * (depth === 'uchar' ? 1 : 2)
    if (rasterBytes > 104857600) throw new Error('The picture needs ' + rasterBytes + ' bytes; up to 104857600 are decoded')
    const sized = picked.autoOrient().resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
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
export function createImageProcess(library: string, timeoutMs = defaultTimeoutMs) {
  let running: ChildProcess | undefined
  let idle: AbortSignal | undefined

  const unset = (child: ChildProcess) => {
    if (running === child) running = undefined
  }

  const end = (child: ChildProcess) => {
    child.kill('SIGKILL')
    unset(child)
  }

  const start = (): ChildProcess => {
    const [shell, ...args] = boundedProgram([process.execPath, '-e', program, library], { memoryBytes: maxMemoryBytes })
    // Options for this process's Node, such as a test runner's, must not reach the other one.
    const { NODE_OPTIONS: _, ...env } = process.env
    const child = spawn(shell, args, {
      env,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      windowsHide: true,
    })
    for (const event of ['error', 'exit']) child.once(event, () => unset(child))
    return child
  }

  /** This process ends it: if it exited on its own, a picture could already be on its way to it and fail. */
  const endWhenIdle = (child: ChildProcess) => {
    const over = AbortSignal.timeout(idleMs)
    over.addEventListener('abort', () => idle === over && end(child), { once: true })
    idle = over
  }

  const ask = (child: ChildProcess, picture: Uint8Array | string, signal: AbortSignal) =>
    new Promise<Uint8Array>((resolve, reject) => {
      const over = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      const finish = (report: () => void) => {
        for (const [event, listener] of listeners) child.off(event, listener)
        over.removeEventListener('abort', abort)
        setBusy(child, false)
        endWhenIdle(child)
        report()
      }
      const fail = (error: unknown) => finish(() => reject(error))
      const abort = () => {
        end(child)
        fail(signal.aborted ? signal.reason : new Error(`The picture takes longer than ${timeoutMs / 1_000} s`))
      }
      const answered = ({ bytes, reason }: Answer) =>
        bytes === undefined ? fail(new Error(reason)) : finish(() => resolve(bytes))
      const ended = () => fail(new Error('The picture takes more memory than there is for thumbnails'))
      const listeners = [
        ['message', answered],
        ['exit', ended],
        ['error', fail],
      ] as const
      for (const [event, listener] of listeners) child.on(event, listener)
      over.addEventListener('abort', abort)
      setBusy(child, true)
      idle = undefined
      child.send({ picture, side: longestSide }, (error) => error && fail(error))
    })

  return {
    /**
     * A JPEG of a picture, given as bytes or as a file's path.
     * @throws the library's error, or a timeout; the signal's reason if it aborts
     */
    thumbnail(picture: Uint8Array | string, signal: AbortSignal): Promise<Uint8Array> {
      if (signal.aborted) return Promise.reject(signal.reason)
      running ??= start()
      return ask(running, picture, signal)
    },
  }
}

/**
 * Decodes pictures in a separate process, since only there memory and time can be limited and a crash stays contained.
 * The process decodes one picture after the other and is ended when idle. A picture whose header claims a raster of more
 * than 100 MiB, 33 million pixels of an ordinary photo, is not decoded.
 */
export type ImageProcess = ReturnType<typeof createImageProcess>

/** An idle process does not keep this one running. */
function setBusy(child: ChildProcess, isBusy: boolean): void {
  if (isBusy) {
    child.ref()
    child.channel?.ref()
  } else {
    child.unref()
    child.channel?.unref()
  }
}
