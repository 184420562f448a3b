import { uploadField } from '../../src/protocol/endpoints.ts'
import type { SubmittedFile } from '../service/file-rules.ts'
import type { Uploads } from '../service/uploads.ts'
import { type PartSink, readMultipart } from './multipart.ts'
import { type PhpArray, parseVariables } from './php-variables.ts'
import { receiveText } from './request-body.ts'
import { queryValue } from './request-target.ts'

/**
 * Reads what an upload request has in its `file` field, whatever kind of body it chose (spec 4.1); the bytes of a file
 * are stored as they arrive.
 */
export async function readUploadForm(
  contentType: string,
  body: AsyncIterable<Uint8Array>,
  uploads: Uploads,
): Promise<SubmittedFile> {
  if (/^multipart\/form-data\b/i.test(contentType)) return readMultipartForm(contentType, body, uploads)
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) {
    return fromVariables(parseVariables(await receiveText(body, 'latin1')))
  }
  return /[/+]json\b/i.test(contentType) ? fromJson(await receiveText(body)) : missing
}

const missing: SubmittedFile = { kind: 'missing' }
const notAFile: SubmittedFile = { kind: 'not-a-file' }

async function readMultipartForm(
  contentType: string,
  body: AsyncIterable<Uint8Array>,
  uploads: Uploads,
): Promise<SubmittedFile> {
  const files: SubmittedFile[] = []
  let text = missing

  const fileSink = (fileName: string): PartSink => {
    const at = files.push(missing) - 1
    const intake = uploads.receive(fileName)
    return {
      write: intake.write,
      async finish() {
        files[at] = await intake.finish()
      },
      async cut() {
        files[at] = { kind: 'incomplete' }
        await intake.discard()
      },
    }
  }

  try {
    await readMultipart(contentType, body, {
      field(name, value) {
        if (isUploadField(name)) text = name === uploadField ? fromText(value) : notAFile
      },
      file(name, fileName) {
        // A file input left empty arrives as a part with an empty file name.
        if (name === uploadField && fileName !== '') return fileSink(fileName)
        if (isUploadField(name)) files.push(fileName === '' ? missing : notAFile)
        return undefined
      },
    })
  } catch (error) {
    await Promise.all(files.map(uploads.dismiss))
    throw error
  }
  // Of several values for one field the last one counts, and a file counts more than text.
  const last = files.pop() ?? missing
  await Promise.all(files.map(uploads.dismiss))
  return last.kind === 'missing' ? text : last
}

function fromVariables(variables: PhpArray): SubmittedFile {
  const value = queryValue(variables, uploadField)
  if (value === undefined) return missing
  return value === null ? notAFile : fromText(value)
}

function fromJson(body: string): SubmittedFile {
  try {
    const value: unknown = JSON.parse(body)?.[uploadField]
    if (value === null || value === undefined) return missing
    if (typeof value === 'string') return fromText(value)
    return typeof value === 'object' && Object.keys(value).length === 0 ? missing : notAFile
  } catch {
    return missing
  }
}

/** Blank text counts as no value at all. */
function fromText(value: string): SubmittedFile {
  return value.trim() === '' ? missing : notAFile
}

/** `file[]` and `file[name]` make a list of the field. */
function isUploadField(name: string): boolean {
  return name === uploadField || name.startsWith(`${uploadField}[`)
}
