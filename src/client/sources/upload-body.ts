import { invalidValue } from '../../checks/coded-error.ts'
import { type Clock, steadyMs } from '../../clock.ts'
import { uploadField } from '../../protocol/endpoints.ts'
import { abortable } from '../../system/signals.ts'
import type { AttemptBody } from '../call.ts'
import { SourceError } from '../errors.ts'
import type { UploadOptions } from '../options.ts'
import type { PreparedSource } from './upload-source.ts'

/** Ends the headers of a part, which have none: names are escaped. */
const emptyLine = '\r\n\r\n'

export interface UploadBodyOptions extends Pick<UploadOptions, 'onProgress' | 'onBytes' | 'onState'> {
  /** Called, and awaited, before the first byte; an error that it throws ends the attempt. */
  readonly onStart?: (() => void | Promise<void>) | undefined
  /** Undefined to send as fast as the other side takes it. */
  readonly bandwidth?: Bandwidth | undefined
  /** Ends the wait for a silent source. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Puts a source into the form of spec 4.1. The file streams between the bytes before and after it, so that memory holds
 * no more than a chunk and every read error surfaces.
 *
 * @throws SourceError for a stream that has been read
 */
export async function createUploadBody(source: PreparedSource, options: UploadBodyOptions = {}): Promise<AttemptBody> {
  const { head, tail, contentType } = await frame(source)
  const { bandwidth, signal, onStart, onState, onBytes, onProgress } = options
  const { name, size } = source
  const whole = source.read()
  const content = abortable(bandwidth ? bandwidth.paced(whole, signal) : whole, signal)
  let [begun, finished, released] = [false, false, false]
  let failure: unknown
  async function* counted() {
    let sent = 0
    onProgress?.({ sent, total: size })
    for await (const chunk of content) {
      sent += chunk.length
      if (size !== undefined && sent > size) throw notAsAnnounced(name, size, 'more')
      onBytes?.(chunk)
      // So that its caller can keep these bytes back.
      signal?.throwIfAborted()
      yield chunk
      onProgress?.({ sent, total: size })
    }
    if (size !== undefined && sent < size) throw notAsAnnounced(name, size, `only ${sent.toLocaleString('en')}`)
  }
  async function* chunks() {
    try {
      if (released) throw overError()
      // The rest of a file must not pass for the whole.
      if (begun) throw invalidValue('The body of an attempt can be sent only once')
      begun = true
      await onStart?.()
      // The attempt may have ended meanwhile.
      if (released) throw overError()
      onState?.('sending')
      yield head
      yield* counted()
      // The first part of a file must not pass for the whole.
      if (released) throw overError()
      // Set before the last bytes leave: from here on a broken connection leaves the outcome unknown.
      finished = true
      onState?.('sent')
    } catch (error) {
      failure = error
      throw error
    }
    yield tail
  }
  return {
    contentType,
    ...(size === undefined ? {} : { length: head.length + size + tail.length }),
    chunks,
    finished: () => finished,
    failure: () => failure,
    release() {
      released = true
      content.return(undefined).catch(() => {})
    },
  }
}

function notAsAnnounced(name: string, size: number, given: string): SourceError {
  return new SourceError('changed', `${name} gave ${given}, not the ${size.toLocaleString('en')} bytes announced`, {
    hint: 'Nothing was stored; leave the size out where it is not known',
  })
}

function overError(): Error {
  return invalidValue('The attempt is over: its body is not sent any more')
}

/** The bytes of a form before and after its one file, as form-data writes them around an empty one (RFC 7578). */
async function frame({ name, mimeType }: PreparedSource) {
  // With what it imports it is larger than all of the client, of which most commands upload nothing.
  const { default: Form } = await import('form-data')
  const form = new Form()
  form.append(uploadField, Buffer.alloc(0), { filename: name, contentType: mimeType })
  const written = form.getBuffer()
  const headLength = written.indexOf(emptyLine) + emptyLine.length
  return {
    head: written.subarray(0, headLength),
    tail: written.subarray(headLength),
    contentType: `multipart/form-data; boundary=${form.getBoundary()}`,
  }
}

/** How long a piece takes at the rate: short, so that progress is smooth and no connection idle. */
const PIECE_MS = 50
/** A machine that wakes up late sends the faster after it; one that sent nothing for longer has nothing to make up for. */
const LATE_MS = 250

export function createBandwidth(bytesPerSecond: number, clock: Clock) {
  const pieceBytes = Math.max(1, Math.round((bytesPerSecond * PIECE_MS) / 1_000))
  /** When the piece before left, or is to leave. */
  let freeAt = Number.NEGATIVE_INFINITY

  /** Uploads take turns, because each asks for a place only once its piece before has left. */
  async function turn(bytes: number, signal: AbortSignal | undefined): Promise<void> {
    const now = steadyMs(clock)
    freeAt = (now - freeAt > LATE_MS ? now : freeAt) + (bytes * 1_000) / bytesPerSecond
    if (freeAt > now) await clock.sleep(freeAt - now, signal)
  }

  return {
    /** The same bytes in pieces so small that they leave at an even pace. */
    async *paced(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): AsyncIterable<Uint8Array> {
      for await (const chunk of chunks) {
        for (let at = 0; at < chunk.length; at += pieceBytes) {
          const piece = chunk.subarray(at, at + pieceBytes)
          await turn(piece.length, signal)
          yield piece
        }
      }
    },
  }
}

/** A rate that the bodies of all uploads of a client, or all downloads of a run, share. */
export type Bandwidth = ReturnType<typeof createBandwidth>
