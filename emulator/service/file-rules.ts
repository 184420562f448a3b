import { serviceMessages } from '../../src/protocol/error-bodies.ts'
import { acceptedMediaType, executableName, mediaTypes } from '../../src/protocol/media-types.ts'
import type { Settings } from '../settings/settings.ts'

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

type TypeList = Settings['wrong_type_message']

/** `jpeg` follows `jpg`; otherwise the spec's order (spec 4.1). */
const extensions = mediaTypes.flatMap(({ extension }) => (extension === 'jpg' ? ['jpg', 'jpeg'] : [extension]))

const wrongType: Readonly<Record<TypeList, string>> = {
  mimes: wrongTypeMessage(extensions),
  mimetypes: wrongTypeMessage(mediaTypes.map(({ mimeType }) => mimeType)),
}
const notAFile = 'The file field must be a file.'
const failedUpload = 'The file failed to upload.'

/**
 * Why a submitted file is refused: every failed rule, in the order presence, file, type, size.
 * @returns an empty list if the file can be stored
 */
export function fileProblems(
  file: SubmittedFile,
  { wrong_type_message: typeList, max_file_size: maxBytes }: Pick<Settings, 'wrong_type_message' | 'max_file_size'>,
): readonly string[] {
  switch (file.kind) {
    case 'missing':
      return [serviceMessages.fileRequired]
    case 'not-a-file':
      // The limit counts kilobytes of a file, and characters of a text.
      return [
        notAFile,
        wrongType[typeList],
        ...(file.length > maxBytes / 1_024 ? [tooLarge(maxBytes, 'characters')] : []),
      ]
    case 'incomplete':
      return [failedUpload]
    case 'file': {
      const typeAccepted = file.mimeType !== undefined && acceptedMediaType(file.mimeType) !== undefined
      const faults: string[] = []
      if (!typeAccepted || executableName.test(file.name)) faults.push(wrongType[typeList])
      if (isOversized(file)) faults.push(tooLarge(file.maxBytes, 'kilobytes'))
      return faults
    }
  }
}

/** Whether the file is too large, even if it fails other rules too. */
export function isOversized(file: SubmittedFile): boolean {
  return file.kind === 'file' && file.sizeBytes > file.maxBytes
}

function wrongTypeMessage(types: readonly string[]): string {
  return `The file field must be a file of type: ${types.join(', ')}.`
}

function tooLarge(maxBytes: number, unit: 'kilobytes' | 'characters'): string {
  return `The file field must not be greater than ${maxBytes / 1_024} ${unit}.`
}
