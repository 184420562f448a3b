import type { Socket } from 'node:net'

/**
 * A server may answer before it has read the whole body, and close: what is still sent to it then fails, although its
 * answer has been received and waits to be read. Node throws it away with the stream. Here a write that fails is told
 * only once all that was received has been read.
 */
export function readOnAfterFailedWrite(stream: Socket): void {
  type Done = (error?: Error | null) => void
  const afterReading =
    (done: Done): Done =>
    (error) => {
      if (!error || stream.readableEnded || stream.destroyed) return done(error)
      // A connection that takes nothing more has an end to read, or an error that destroys the stream.
      stream.once('end', () => done(error))
    }
  const { _write: write, _writev: writev } = stream
  stream._write = (chunk, encoding, done) => write.call(stream, chunk, encoding, afterReading(done))
  if (writev) stream._writev = (chunks, done) => writev.call(stream, chunks, afterReading(done))
}
