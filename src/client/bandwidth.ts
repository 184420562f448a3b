import { type Clock, steadyMs } from '../clock.ts'

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

  /** The same bytes in pieces so small that they leave at an even pace. */
  return async function* paced(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined) {
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length; at += pieceBytes) {
        const piece = chunk.subarray(at, at + pieceBytes)
        await turn(piece.length, signal)
        yield piece
      }
    }
  }
}

/** A rate that the bodies of all uploads of a client, or all downloads of a run, share. */
export type Bandwidth = ReturnType<typeof createBandwidth>
