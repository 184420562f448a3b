import { Busboy, type BusboyFileStream } from '@fastify/busboy'

/** Takes one part's bytes. */
export interface PartSink {
  write(chunk: Uint8Array): Promise<void>
  /** The part is complete. */
  finish(): Promise<void>
  /** The part will not be complete. */
  cut(): Promise<void>
}

export interface MultipartVisitor {
  /** A part without a file name. */
  field(name: string, value: string): void
  /** A part with a file name, which may be empty; its bytes go to the sink, or nowhere. */
  file(name: string, fileName: string): PartSink | undefined
}

/** Forms with more than this are not made by people; the rest of such a form is passed over. */
const limits = { parts: 1_000, fieldSize: 65_536, headerPairs: 100, headerSize: 16_384 }

/**
 * Reads a multipart body as it arrives, holding none of it. A body that ends too early ends the form, and cuts the
 * part it was in. A content type without a boundary makes an empty form.
 *
 * @throws what the body or a sink throws, once every open sink has been cut
 */
export async function readMultipart(
  contentType: string,
  body: AsyncIterable<Uint8Array>,
  visitor: MultipartVisitor,
): Promise<void> {
  const parser = createParser(contentType)
  if (parser === undefined) return
  const receptions: Promise<ReceivedPart>[] = []
  const streams: BusboyFileStream[] = []
  parser.on('field', (name, value) => visitor.field(name ?? '', value))
  parser.on('file', (name, stream, fileName) => {
    receptions.push(receivePart(stream, visitor.file(name ?? '', fileName) ?? discarding))
    streams.push(stream)
  })
  // An error is the parser's word for a form without an end; what arrived until then counts.
  const parsed = new Promise<boolean>((resolve) => {
    parser.once('finish', () => resolve(true)).on('error', () => resolve(false))
  })

  const tail = createTail(contentType)
  try {
    for await (const chunk of body) {
      tail.add(chunk)
      if (!parser.write(chunk)) await new Promise<void>((resolve) => parser.once('drain', resolve))
    }
  } catch (error) {
    for (const stream of streams) stream.destroy()
    await settleParts(await Promise.all(receptions), () => false)
    throw error
  }
  parser.end()
  const formIsWhole = await parsed
  const parts = await Promise.all(receptions)
  // The parser does not always tell the part a form breaks off in from one that is complete.
  const lastIsWhole = formIsWhole || tail.isBoundary()
  await settleParts(parts, (part) => lastIsWhole || part !== parts.at(-1))
}

/** Remembers the end of a body, to tell whether it ends with a boundary, closed or not. */
function createTail(contentType: string) {
  const [, quoted, plain = ''] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? []
  const delimiter = `--${quoted ?? plain}`
  const length = delimiter.length + '--\r\n'.length
  let end: Uint8Array = new Uint8Array()
  return {
    add(chunk: Uint8Array) {
      end = Buffer.concat([end, chunk.subarray(-length)]).subarray(-length)
    },
    isBoundary: () =>
      Buffer.from(end)
        .toString('latin1')
        .replace(/-{0,2}\r?\n?$/, '')
        .endsWith(delimiter),
  }
}

/** A part whose stream has ended, one way or another. */
interface ReceivedPart {
  readonly sink: PartSink
  readonly isWhole: boolean
  readonly failure?: { readonly error: unknown }
}

/** Finishes the parts that are whole and cuts the others. @throws what the first sink that failed threw */
async function settleParts(parts: readonly ReceivedPart[], counts: (part: ReceivedPart) => boolean): Promise<void> {
  for (const part of parts) {
    if (part.isWhole && part.failure === undefined && counts(part)) await part.sink.finish()
    else await part.sink.cut()
  }
  const failed = parts.find(({ failure }) => failure !== undefined)
  if (failed?.failure !== undefined) throw failed.failure.error
}

function createParser(contentType: string): InstanceType<typeof Busboy> | undefined {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      isPartAFile: (_name, _type, fileName) => fileName !== undefined,
      limits,
      // Room for a chunk from the socket on each side of the parser; with the usual 16 KiB it would stop at every one.
      highWaterMark: 65_536,
      fileHwm: 65_536,
    })
  } catch {
    return undefined
  }
}

/** A part is read to its end even when its sink fails: the parser waits for every part to be consumed. */
async function receivePart(stream: BusboyFileStream, sink: PartSink): Promise<ReceivedPart> {
  let failure: { readonly error: unknown } | undefined
  try {
    for await (const chunk of stream) {
      if (failure !== undefined) continue
      await sink.write(chunk).catch((error: unknown) => {
        failure = { error }
      })
    }
  } catch {
    return { sink, isWhole: false }
  }
  return { sink, isWhole: true, ...(failure && { failure }) }
}

const nothing = async () => {}

const discarding: PartSink = { write: nothing, finish: nothing, cut: nothing }
