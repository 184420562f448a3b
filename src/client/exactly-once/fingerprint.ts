import { createHash } from 'node:crypto'
import { FileHostError } from '../errors.ts'
import { openFileSource } from '../sources/file-source.ts'
import { type PreparedSource, prepareSource, type UploadSource } from '../sources/upload-source.ts'

/** What is kept of a file, so that a stored file can be compared with it. */
export interface Fingerprint {
  /** In bytes. */
  readonly size: number
  /** In hex. */
  readonly sha256: string
  /** The first byte: the one that is never asked for. */
  readonly first: Uint8Array
}

/** @returns undefined where the bytes cannot be read, or are not those that were sent: then they prove nothing */
export type ReadFingerprint = (signal: AbortSignal) => Promise<Fingerprint | undefined>

/** Of a file as it is now. @param sha256 of the bytes that were sent, in hex; empty if it is not known */
export function fingerprintOfFile(path: string | undefined, sha256: string): ReadFingerprint {
  if (path === undefined || sha256 === '') return async () => undefined
  return once(async (signal) => {
    const fingerprint = await readFingerprint(await openFileSource(path), signal)
    return fingerprint.sha256 === sha256 ? fingerprint : undefined
  })
}

/** Of a source that may be the one that was sent. @param size of what was sent, in bytes; null if that is not known */
export function fingerprintOfSource(source: UploadSource | undefined, size: number | null): ReadFingerprint {
  if (source === undefined) return async () => undefined
  return once(async (signal) => {
    const prepared = await prepareSource(source, { maxFileSizeBytes: Number.POSITIVE_INFINITY, anyType: true, signal })
    try {
      const fingerprint = await readFingerprint(prepared, signal)
      return size === null || fingerprint.size === size ? fingerprint : undefined
    } finally {
      prepared.close()
    }
  })
}

/** The fingerprint of what an upload sends. What cannot be read again without a request is hashed while it is sent. */
export class SentFingerprint {
  readonly read: ReadFingerprint
  readonly #isAtHand: boolean
  #counted: Counted | undefined

  constructor(source: PreparedSource) {
    this.#isAtHand = source.again === 'at hand'
    this.read = this.#isAtHand
      ? once((signal) => readFingerprint(source, signal))
      : async () => this.#counted?.fingerprint()
  }

  /** An attempt begins. */
  restart(): void {
    this.#counted = this.#isAtHand ? undefined : new Counted()
  }

  sent(bytes: Uint8Array): void {
    this.#counted?.take(bytes)
  }
}

/** Bytes that came so far. */
class Counted {
  readonly #hash = createHash('sha256')
  #size = 0
  #first = new Uint8Array()

  take(bytes: Uint8Array): void {
    if (this.#size === 0) this.#first = new Uint8Array(bytes.subarray(0, 1))
    this.#size += bytes.length
    this.#hash.update(bytes)
  }

  fingerprint(): Fingerprint {
    return { size: this.#size, sha256: this.#hash.copy().digest('hex'), first: this.#first }
  }
}

/** A file that was read is not read again. */
function once(read: ReadFingerprint): ReadFingerprint {
  let fingerprint: Fingerprint | undefined
  return async (signal) => {
    try {
      fingerprint ??= await read(signal)
      return fingerprint
    } catch (error) {
      if (error instanceof FileHostError) return undefined
      throw error
    }
  }
}

/** @throws SourceError if it cannot be read, or is changed meanwhile; `signal.reason` when aborted */
async function readFingerprint(source: Pick<PreparedSource, 'read'>, signal: AbortSignal): Promise<Fingerprint> {
  const counted = new Counted()
  for await (const chunk of source.read()) {
    signal.throwIfAborted()
    counted.take(chunk)
  }
  return counted.fingerprint()
}
