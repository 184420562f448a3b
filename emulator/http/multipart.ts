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
  const receptions: Promise<void>[] = []
  const streams: BusboyFileStream[] = []
  parser.on('field', (name, value) => visitor.field(name ?? '', value))
  parser.on('file', (name, stream, fileName) => {
    const sink = visitor.file(name ?? '', fileName)
    receptions.push(receivePart(stream, sink ?? discarding))
    streams.push(stream)
  })
  // An error is the parser's word for a form without an end; what arrived until then counts.
  const parsed = new Promise<void>((resolve) => parser.once('finish', resolve).on('error', () => resolve()))

  try {
    for await (const chunk of body) {
      if (!parser.write(chunk)) await new Promise<void>((resolve) => parser.once('drain', resolve))
    }
    parser.end()
    await parsed
  } catch (error) {
    for (const stream of streams) stream.destroy()
    await Promise.allSettled(receptions)
    throw error
  }
  await Promise.all(receptions)
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
async function receivePart(stream: BusboyFileStream, sink: PartSink): Promise<void> {
  let failure: { readonly error: unknown } | undefined
  try {
    for await (const chunk of stream) {
      if (failure !== undefined) continue
      await sink.write(chunk).catch((error: unknown) => {
        failure = { error }
      })
    }
  } catch {
    return sink.cut()
  }
  if (failure === undefined) return sink.finish()
  await sink.cut()
  throw failure.error
}

const nothing = async () => {}

const discarding: PartSink = { write: nothing, finish: nothing, cut: nothing }
