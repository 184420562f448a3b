import { serviceMessages } from '../../src/protocol/error-bodies.ts'
import { acceptedMediaType, mediaTypes } from '../../src/protocol/media-types.ts'

/** What stood in the `file` field of an upload. */
export type SubmittedFile =
  | { readonly kind: 'missing' }
  /** Text, a number or a list where a file belongs. */
  | { readonly kind: 'not-a-file' }
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
}

const fileTypes = mediaTypes.flatMap(({ extension }) => (extension === 'jpg' ? ['jpg', 'jpeg'] : [extension]))

/** `jpeg` is listed beside `jpg`, the other extensions as the spec orders their types (spec 4.1). */
const wrongType = `The file field must be a file of type: ${fileTypes.join(', ')}.`
const notAFile = 'The file field must be a file.'
const failedUpload = 'The file failed to upload.'

/** The service runs on PHP, which never stores what its web server might execute, whatever the content. */
const executableName = /\.(php[3-578]?|phtml|phar)$/i

/**
 * What is wrong with a submitted file; every rule that fails is told, in the order presence, file, type, size.
 * @returns no messages where it can be stored
 */
export function fileFaults(file: SubmittedFile): readonly string[] {
  switch (file.kind) {
    case 'missing':
      return [serviceMessages.fileRequired]
    case 'not-a-file':
      return [notAFile, wrongType]
    case 'incomplete':
      return [failedUpload]
    case 'file': {
      const typeAccepted = file.mimeType !== undefined && acceptedMediaType(file.mimeType) !== undefined
      const faults: string[] = []
      if (!typeAccepted || executableName.test(file.name)) faults.push(wrongType)
      if (file.sizeBytes > file.maxBytes) faults.push(tooLarge(file.maxBytes))
      return faults
    }
  }
}

function tooLarge(maxBytes: number): string {
  return `The file field must not be greater than ${maxBytes / 1_024} kilobytes.`
}
