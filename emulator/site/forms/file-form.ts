import { declaredLength, receiveBody } from '../../api/target.ts'
import { BodyTooLargeError, type HttpRequest } from '../../http.ts'
import { decodedText } from '../../php/form.ts'
import { isOfType, type PartSink, readMultipart } from '../../php/multipart.ts'
import type { SubmittedFile, Uploads } from '../../service/uploads.ts'
import { baseName } from '../../service/uploads.ts'
import { tokenField } from './form-tokens.ts'

/** The field of the files; several may have it. */
export const filesField = 'files'

/** The most files of one form: PHP's default. */
export const mostFiles = 20

export interface FileFormReader {
  readonly uploads: Pick<Uploads, 'receive'>
  /** Whether a form with this token, the first of it, may store files; the token comes before them. */
  accepts(token: string | undefined): boolean
  /** Takes a file; `name` is its last part. */
  take(name: string, file: SubmittedFile): Promise<void>
}

/**
 * `ignored`: how many files were too many. `refused`: the token is wrong, and nothing was stored. `too-large`: more
 * bytes than so many files can have.
 */
export type FileFormOutcome =
  | { readonly kind: 'read'; readonly ignored: number }
  | { readonly kind: 'refused' | 'too-large' | 'unreadable' }

/** What a form has besides its files, at most. */
const allowanceBytes = 1_048_576

/** Longer than any token. */
const tokenBytes = 200

/** Reads a form with files as it arrives; each file is taken as soon as it is complete. */
export async function readFileForm(
  request: HttpRequest,
  maxFileBytes: number,
  { uploads, accepts, take }: FileFormReader,
): Promise<FileFormOutcome> {
  const contentType = request.headers['content-type'] ?? ''
  if (!isOfType(contentType, 'multipart/form-data')) return { kind: 'unreadable' }
  const mostBytes = mostFiles * maxFileBytes + allowanceBytes
  if (declaredLength(request) > mostBytes) return { kind: 'too-large' }
  let token: string | undefined
  let ignored = 0
  let isTaken = false
  try {
    await readMultipart(contentType, receiveBody(request, mostBytes), {
      textLimit: (name) => (name === tokenField ? tokenBytes : 0),
      text(name, value) {
        if (name === tokenField) token ??= value
      },
      async file(name, fileName) {
        if (name !== filesField || fileName === '') return undefined
        const base = baseName(decodedText(fileName))
        if (accepts(token)) {
          isTaken = true
          return fileSink(base, { uploads, take })
        }
        // The session ended after an earlier file: the answer names both.
        if (isTaken) await take(base, { kind: 'incomplete' })
        return undefined
      },
      tooMany() {
        ignored += 1
      },
    })
  } catch (error) {
    if (error instanceof BodyTooLargeError) return { kind: 'too-large' }
    throw error
  }
  return isTaken || accepts(token) ? { kind: 'read', ignored } : { kind: 'refused' }
}

/** The rule of the file is judged once it is complete, so that its sender has sent it and reads the answer. */
function fileSink(name: string, { uploads, take }: Pick<FileFormReader, 'uploads' | 'take'>): PartSink {
  const intake = uploads.receive(name)
  return {
    write: intake.write,
    finish: async () => take(name, await intake.finish()),
    async abort() {
      await intake.discard()
      await take(name, { kind: 'incomplete' })
    },
  }
}
