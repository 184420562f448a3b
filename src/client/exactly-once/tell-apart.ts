import type { Upload } from '../../protocol/resources.ts'
import type { ReadPrint } from './file-print.ts'
import type { Reconciliation, UploadIntent } from './upload-intent.ts'

/** An upload that the list leaves open. */
export interface OpenQuestion {
  readonly intent: UploadIntent
  /** Uploads in the list that may be it: at least one. */
  readonly candidates: readonly Upload[]
  /** Reads what was sent. */
  readonly print: ReadPrint
}

/**
 * Decides between uploads that look alike in the list.
 * @returns in the order of the questions; undefined where the list does not tell yet: it is read again 5 s later, for a
 * minute at most
 */
export type TellApart = (questions: readonly OpenQuestion[]) => Promise<readonly (Reconciliation | undefined)[]>

/** Compares what was sent with the bytes on the site. */
export type CompareBytes = (signal: AbortSignal | undefined) => TellApart
