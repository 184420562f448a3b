import FormData from 'form-data'
import { invalidValue } from '../../checks/coded-error.ts'
import { uploadField } from '../../protocol/endpoints.ts'
import { abortable } from '../../system/abortable.ts'
import type { AttemptBody } from '../attempt.ts'
import { SourceError } from '../errors.ts'
import type { Progress, UploadState } from '../options.ts'
import type { PreparedSource } from './upload-source.ts'

export interface UploadBodyOptions {
  /** Called before the first byte; an error that it throws ends the attempt. */
  readonly onStart?: (() => void) | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
  readonly onBytes?: ((bytes: Uint8Array) => void) | undefined
  readonly onState?: ((state: UploadState) => void) | undefined
  /** Ends the wait for a silent source. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Puts a source into the form of spec 4.1. form-data writes the bytes before and after the file; the file streams in
 * between, so that memory holds no more than a chunk and every read error surfaces.
 *
 * @throws SourceError for a stream that has been read
 */
export function createUploadBody(source: PreparedSource, options: UploadBodyOptions = {}): AttemptBody {
  const { head, tail, contentType } = frame(source)
  const content = abortable(source.read(), options.signal)
  let begun = false
  let finished = false
  let released = false
  let failure: unknown
  async function* chunks() {
    try {
      if (released) throw overError()
      // The rest of a file must not pass for the whole.
      if (begun) throw invalidValue('The body of an attempt can be sent only once')
      begun = true
      options.onStart?.()
      options.onState?.('sending')
      options.onProgress?.({ sent: 0, total: source.size })
      yield head
      yield* counted(content, source, options)
      // The first part of a file must not pass for the whole.
      if (released) throw overError()
      // Set before the last bytes leave: from here on a broken connection leaves the outcome unknown.
      finished = true
      options.onState?.('sent')
    } catch (error) {
      failure = error
      throw error
    }
    yield tail
  }
  return {
    contentType,
    ...(source.size === undefined ? {} : { length: head.length + source.size + tail.length }),
    chunks,
    finished: () => finished,
    failure: () => failure,
    release() {
      released = true
      content.return(undefined).catch(() => {})
    },
  }
}

async function* counted(
  content: AsyncIterable<Uint8Array>,
  { name, size }: PreparedSource,
  { onProgress, onBytes }: UploadBodyOptions,
) {
  let sent = 0
  for await (const chunk of content) {
    if (size !== undefined && sent + chunk.length > size) throw notAsAnnounced(name, size, 'more')
    onBytes?.(chunk)
    yield chunk
    sent += chunk.length
    onProgress?.({ sent, total: size })
  }
  if (size !== undefined && sent < size) throw notAsAnnounced(name, size, `only ${sent.toLocaleString('en')}`)
}

function notAsAnnounced(name: string, size: number, given: string): SourceError {
  return new SourceError('changed', `${name} gave ${given}, not the ${size.toLocaleString('en')} bytes announced`, {
    hint: 'Nothing was stored; leave the size out where it is not known',
  })
}

function overError(): Error {
  return invalidValue('The attempt is over: its body is not sent any more')
}

function frame({ name, mimeType }: PreparedSource) {
  const form = new FormData()
  form.append(uploadField, Buffer.alloc(0), { filename: name, contentType: mimeType })
  const empty = form.getBuffer()
  const fileAt = empty.indexOf('\r\n\r\n') + 4
  return {
    head: empty.subarray(0, fileAt),
    tail: empty.subarray(fileAt),
    contentType: form.getHeaders()['content-type'] ?? `multipart/form-data; boundary=${form.getBoundary()}`,
  }
}
