import { randomUUID } from 'node:crypto'
import { blobChunks, isBlob } from '../../../src/system/blob-bytes.ts'

/** A part of a form: its head, and what follows it. */
interface Part {
  readonly head: Buffer
  readonly content: Buffer | Blob
}

const lineEnd = Buffer.from('\r\n')

/**
 * Writes a `FormData` of any environment as multipart/form-data, as browsers do (HTML 4.10.21.8). Files are read as they
 * are sent.
 */
export function encodeForm(form: FormData) {
  const boundary = `----filehost-${randomUUID()}`
  const parts = Array.from(form as unknown as Iterable<[string, unknown]>, (entry) => toPart(boundary, entry))
  const end = Buffer.from(`--${boundary}--\r\n`)
  const sizes = parts.map(({ head, content }) => head.length + sizeOf(content) + lineEnd.length)
  async function* chunks() {
    for (const { head, content } of parts) {
      yield head
      if (isBlob(content)) yield* blobChunks(content)
      else yield content
      yield lineEnd
    }
    yield end
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    length: sizes.reduce((sum, size) => sum + size, end.length),
    chunks,
  }
}

function toPart(boundary: string, [name, value]: readonly [string, unknown]): Part {
  const disposition = `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(withLineEnds(name))}"`
  if (!isBlob(value)) {
    return { head: Buffer.from(`${disposition}\r\n\r\n`), content: Buffer.from(withLineEnds(String(value))) }
  }
  const filename = 'name' in value ? String(value.name) : 'blob'
  const type = value.type || 'application/octet-stream'
  const head = `${disposition}; filename="${escaped(filename)}"\r\nContent-Type: ${type}\r\n\r\n`
  return { head: Buffer.from(head), content: value }
}

function sizeOf(content: Part['content']): number {
  return isBlob(content) ? content.size : content.length
}

function withLineEnds(text: string): string {
  return text.replace(/\r\n?|\n/g, '\r\n')
}

function escaped(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22')
}
