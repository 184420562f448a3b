import { acceptedMediaType, executableName } from '../../src/protocol/media-types.ts'

/** The content of an upload's `file` field. */
export type SubmittedFile =
  | { readonly kind: 'missing' }
  /** Text, a number or a list instead of a file. */
  | {
      readonly kind: 'not-a-file'
      /** The number of characters or values. */
      readonly length: number
    }
  /** The request ended before the file did. */
  | { readonly kind: 'incomplete' }
  | ReceivedFile

/** A file that was received completely. */
export interface ReceivedFile {
  readonly kind: 'file'
  /** As sent by the client. */
  readonly name: string
  /** Detected from the content; undefined if unknown. */
  readonly mimeType: string | undefined
  readonly sizeBytes: number
  /** Of the received bytes, in lower-case hexadecimal. */
  readonly sha256: string
  /** The size limit when the file began to arrive. */
  readonly maxBytes: number
  /** The stored bytes; absent if the type was wrong or the file too large. */
  readonly blobId?: string
  /** The stored size, present with `blobId`; differs from `sizeBytes` after re-encoding. */
  readonly storedBytes?: number
}

/** A rule that a submitted file breaks; who answers chooses the words. */
export type FileProblem =
  | { readonly kind: 'missing' | 'not-a-file' | 'incomplete' | 'wrong-type' }
  | {
      readonly kind: 'too-large'
      readonly maxBytes: number
      /** The limit counts kilobytes of a file, and characters of a text. */
      readonly counts: 'kilobytes' | 'characters'
    }

/**
 * Why a submitted file is refused: every failed rule, in the order presence, file, type, size.
 * @param maxBytes the current size limit, for what is not a file
 * @returns an empty list if the file can be stored
 */
export function fileProblems(file: SubmittedFile, maxBytes: number): readonly FileProblem[] {
  switch (file.kind) {
    case 'missing':
    case 'incomplete':
      return [{ kind: file.kind }]
    case 'not-a-file':
      return [
        { kind: 'not-a-file' },
        { kind: 'wrong-type' },
        ...problemsIf(file.length > maxBytes / 1_024, { kind: 'too-large', maxBytes, counts: 'characters' }),
      ]
    case 'file': {
      const typeAccepted = file.mimeType !== undefined && acceptedMediaType(file.mimeType) !== undefined
      return [
        ...problemsIf(!typeAccepted || executableName.test(file.name), { kind: 'wrong-type' }),
        ...problemsIf(isOversized(file), { kind: 'too-large', maxBytes: file.maxBytes, counts: 'kilobytes' }),
      ]
    }
  }
}

function problemsIf(isBroken: boolean, problem: FileProblem): readonly FileProblem[] {
  return isBroken ? [problem] : []
}

/** Whether the file is too large, even if it fails other rules too. */
export function isOversized(file: SubmittedFile): boolean {
  return file.kind === 'file' && file.sizeBytes > file.maxBytes
}
