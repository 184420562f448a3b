import { serviceMessages } from '../../src/protocol/error-bodies.ts'
import { acceptedMediaType, executableName, mediaTypes } from '../../src/protocol/media-types.ts'
import type { Settings } from '../settings/settings.ts'

/** What stood in the `file` field of an upload. */
export type SubmittedFile =
  | { readonly kind: 'missing' }
  /** Text, a number or a list where a file belongs. */
  | {
      readonly kind: 'not-a-file'
      /** How many characters it has, or values. */
      readonly length: number
    }
  /** The request ended before the file did. */
  | { readonly kind: 'incomplete' }
  | ReceivedFile

/** A file whose bytes have all arrived. */
export interface ReceivedFile {
  readonly kind: 'file'
  /** As the client called it. */
  readonly name: string
  /** By content; undefined where the bytes say nothing. */
  readonly mimeType: string | undefined
  readonly sizeBytes: number
  /** The limit that was in force when it began to arrive. */
  readonly maxBytes: number
  /** The stored bytes; absent where they were not worth storing, being of a wrong type or too many. */
  readonly blobId?: string
  /** How many bytes are stored; present with the blob, and other than `sizeBytes` where it was re-encoded. */
  readonly storedBytes?: number
  /** CRC-32 of the bytes that arrived; present with the blob. */
  readonly checksum?: number
}

type TypeList = Settings['wrong_type_message']

/** `jpeg` is listed beside `jpg`, the other extensions as the spec orders their types (spec 4.1). */
const extensions = mediaTypes.flatMap(({ extension }) => (extension === 'jpg' ? ['jpg', 'jpeg'] : [extension]))

const wrongType: Readonly<Record<TypeList, string>> = {
  mimes: wrongTypeMessage(extensions),
  mimetypes: wrongTypeMessage(mediaTypes.map(({ mimeType }) => mimeType)),
}
const notAFile = 'The file field must be a file.'
const failedUpload = 'The file failed to upload.'

/**
 * What is wrong with a submitted file; every rule that fails is told, in the order presence, file, type, size.
 * @returns no messages where it can be stored
 */
export function fileFaults(
  file: SubmittedFile,
  { wrong_type_message: typeList, max_file_size: maxBytes }: Pick<Settings, 'wrong_type_message' | 'max_file_size'>,
): readonly string[] {
  switch (file.kind) {
    case 'missing':
      return [serviceMessages.fileRequired]
    case 'not-a-file':
      // The limit is a number of kilobytes for a file, and the same number of characters for a text.
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

/** Whether it is too large, whatever else is wrong with it. */
export function isOversized(file: SubmittedFile): boolean {
  return file.kind === 'file' && file.sizeBytes > file.maxBytes
}

function wrongTypeMessage(types: readonly string[]): string {
  return `The file field must be a file of type: ${types.join(', ')}.`
}

function tooLarge(maxBytes: number, unit: 'kilobytes' | 'characters'): string {
  return `The file field must not be greater than ${maxBytes / 1_024} ${unit}.`
}
