import FormData from 'form-data'
import { uploadField } from '../protocol/endpoints.ts'
import type { AttemptBody } from './attempt.ts'
import type { Progress } from './options.ts'
import type { PreparedSource } from './upload-source.ts'

/**
 * Puts a source into the form of spec 4.1. form-data writes what stands before and after the file; the file itself
 * streams in between, so nothing is held in memory and every read error surfaces.
 */
export function createUploadBody(source: PreparedSource, onProgress?: (progress: Progress) => void): AttemptBody {
  const { head, tail, contentType } = frame(source)
  let finished = false
  let failure: unknown
  async function* chunks() {
    onProgress?.({ sent: 0, total: source.size })
    yield head
    try {
      yield* counted(source, onProgress)
    } catch (error) {
      failure = error
      throw error
    }
    // Told before it is true, never after: from here on the outcome of a broken connection is open.
    finished = true
    yield tail
  }
  return {
    contentType,
    ...(source.size === undefined ? {} : { length: head.length + source.size + tail.length }),
    chunks,
    finished: () => finished,
    failure: () => failure,
  }
}

async function* counted(source: PreparedSource, onProgress: ((progress: Progress) => void) | undefined) {
  let sent = 0
  for await (const chunk of source.read()) {
    yield chunk
    sent += chunk.length
    onProgress?.({ sent, total: source.size })
  }
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
