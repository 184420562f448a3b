import type { Socket } from 'node:net'

/**
 * Keeps an early answer readable. A server may answer and close before it has read the whole body: the next write then
 * fails, and Node destroys the stream with the received answer in it. This delays the error of a write until everything
 * received has been read.
 */
export function readOnAfterFailedWrite(stream: Socket): void {
  type Done = (error?: Error | null) => void
  const afterReading =
    (done: Done): Done =>
    (error) => {
      if (!error || stream.readableEnded || stream.destroyed) return done(error)
      // A connection that accepts no more bytes has an end to read, or an error that destroys the stream.
      stream.once('end', () => done(error))
    }
  const { _write: write, _writev: writev } = stream
  stream._write = (chunk, encoding, done) => write.call(stream, chunk, encoding, afterReading(done))
  if (writev) stream._writev = (chunks, done) => writev.call(stream, chunks, afterReading(done))
}
