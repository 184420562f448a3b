import FormData from 'form-data'
import { uploadField } from '../protocol/endpoints.ts'
import type { Progress } from './options.ts'
import type { RequestBody } from './transport.ts'
import type { PreparedSource } from './upload-source.ts'

/** A multipart body around one file, for one attempt. */
export interface UploadBody extends RequestBody {
  /**
   * Whether the last byte has been handed over. While this is false the service cannot have received the whole file,
   * so it cannot have stored it.
   */
  finished(): boolean
}

/**
 * Puts a source into the form of spec 4.1. form-data writes what stands before and after the file; the file itself
 * streams in between, so nothing is held in memory and every read error surfaces.
 */
export function createUploadBody(source: PreparedSource, onProgress?: (progress: Progress) => void): UploadBody {
  const { head, tail, contentType } = frame(source)
  let finished = false
  async function* chunks() {
    let sent = 0
    onProgress?.({ sent, total: source.size })
    yield head
    for await (const chunk of source.read()) {
      yield chunk
      sent += chunk.length
      onProgress?.({ sent, total: source.size })
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
