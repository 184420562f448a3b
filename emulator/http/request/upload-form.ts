import { uploadField } from '../../../src/protocol/endpoints.ts'
import { headerOf } from '../../http-types.ts'
import type { FileIntake } from '../../service/file-intake.ts'
import type { SubmittedFile } from '../../service/file-rules.ts'
import type { Uploads } from '../../service/uploads.ts'
import { overrideField } from '../api-routes.ts'
import { loggedFile, type RequestContext } from '../request-context.ts'
import { queryValue } from './addresses.ts'
import { isOfType, type PartSink, readMultipart } from './multipart.ts'
import { decodedText, PhpArray, parseVariables, readName, setVariable, trimmed } from './php-variables.ts'
import { maxTextBytes, receiveText } from './request-body.ts'

/** The content of an upload form. */
export interface UploadForm {
  readonly file: SubmittedFile
  /** The method that the form names, in any case. */
  readonly method?: string | undefined
}

interface SentForm {
  readonly body: AsyncIterable<Uint8Array>
  readonly query: PhpArray
}

/** Takes the files of a form. */
export type FileReceiver = Pick<Uploads, 'receive' | 'discard'>

/** Reads an upload's form and notes its file in the log, even if the form breaks off inside it. */
export async function receiveForm(
  { request, target, entry, body: whole }: RequestContext,
  files: FileReceiver,
  body: AsyncIterable<Uint8Array> = whole,
): Promise<UploadForm> {
  // Of several files the last counts.
  const received: { last?: FileIntake } = {}
  const receive = (name: string) => {
    received.last = files.receive(name)
    return received.last
  }
  const contentType = headerOf(request, 'content-type') ?? ''
  try {
    return await readUploadForm(contentType, { body, query: target.query }, { ...files, receive })
  } finally {
    if (received.last !== undefined) entry.file = loggedFile(received.last.received())
  }
}

/**
 * Reads the `file` field of an upload in any kind of body (spec 4.1); file bytes are stored as they arrive. A value
 * missing from the body is taken from the query, as the framework does.
 */
export async function readUploadForm(
  contentType: string,
  { body, query }: SentForm,
  uploads: FileReceiver,
): Promise<UploadForm> {
  if (isOfType(contentType, 'multipart/form-data')) return readMultipartForm(contentType, { body, query }, uploads)
  if (isOfType(contentType, 'application/x-www-form-urlencoded')) {
    const variables = parseVariables(await receiveText(body, 'latin1'))
    return { file: fromVariables(variables, query), method: queryValue(variables, overrideField) ?? undefined }
  }
  const text = await receiveText(body)
  const value = /[/+]json/.test(contentType) ? fromJson(text) : undefined
  return { file: value ?? fromVariables(query) }
}

const missing: SubmittedFile = { kind: 'missing' }

/** Reads what PHP puts into `$_FILES` and `$_POST`. */
async function readMultipartForm(
  contentType: string,
  { body, query }: SentForm,
  uploads: FileReceiver,
): Promise<UploadForm> {
  const texts = new PhpArray()
  let file = missing
  /** The last of several values counts; the file before it is discarded at once. */
  const replaceFile = async (next: SubmittedFile) => {
    const earlier = file
    file = next
    await uploads.discard(earlier)
  }
  let maxBytes = Number.POSITIVE_INFINITY
  try {
    await readMultipart(contentType, body, {
      textLimit: (name) => (isKept(name) ? maxTextBytes : 0),
      text(name, value) {
        if (name.toLowerCase() === sizeField) maxBytes = Number.parseInt(value, 10) || Number.POSITIVE_INFINITY
        if (isKept(name) || readName(name).variable === uploadField) setVariable(texts, name, value)
      },
      async file(name, fileName) {
        const { variable, keys } = readName(name)
        if (variable !== uploadField) return undefined
        const isInList = keys.length > 0
        // An empty file input arrives as a part with an empty file name: it counts as no file, and is ignored in a
        // list.
        if (fileName === '' && isInList && file.kind === 'not-a-file') return undefined
        await replaceFile(fileName !== '' && isInList ? notAFile(1) : missing)
        return fileName === '' || isInList ? undefined : createFileSink(fileName, { replaceFile, uploads, maxBytes })
      },
    })
  } catch (error) {
    await uploads.discard(file)
    throw error
  }
  // A file takes precedence over text.
  if (file.kind === 'missing') file = fromVariables(texts, query)
  return { file, method: queryValue(texts, overrideField) ?? undefined }
}

/** PHP's field that limits the size of the files after it. */
const sizeField = 'max_file_size'

/** Whether a text is kept. Of a list only its existence matters. */
function isKept(name: string): boolean {
  const { variable, keys } = readName(name)
  const isLookedAt = variable === uploadField || variable === overrideField
  return (isLookedAt && keys.length === 0) || name.toLowerCase() === sizeField
}

interface FileSinkContext {
  readonly replaceFile: (file: SubmittedFile) => Promise<void>
  readonly uploads: FileReceiver
  /** A larger file fails to upload. */
  readonly maxBytes: number
}

/** Receives a file and makes it the field's value once it is complete. */
function createFileSink(fileName: string, { replaceFile, uploads, maxBytes }: FileSinkContext): PartSink {
  const intake = uploads.receive(decodedText(fileName))
  let sizeBytes = 0
  const abort = async () => {
    await intake.discard()
    await replaceFile({ kind: 'incomplete' })
  }
  return {
    async write(chunk) {
      sizeBytes += chunk.length
      if (sizeBytes <= maxBytes) await intake.write(chunk)
    },
    async finish() {
      if (sizeBytes > maxBytes) return abort()
      await replaceFile(await intake.finish())
    },
    abort,
  }
}

/** @param fallback used if `variables` has no value */
function fromVariables(variables: PhpArray, fallback = new PhpArray()): SubmittedFile {
  const value = variables.values.get(uploadField) ?? fallback.values.get(uploadField)
  if (value === undefined) return missing
  return value instanceof PhpArray ? notAFile(value.values.size) : fromText(decodedText(value))
}

/** @returns undefined if the field is missing */
function fromJson(body: string): SubmittedFile | undefined {
  try {
    const value: unknown = JSON.parse(body)?.[uploadField]
    if (value === undefined) return undefined
    if (value === null || typeof value === 'string') return fromText(value ?? '')
    if (typeof value !== 'object') return notAFile(value === false ? 0 : String(value).length)
    const { length } = Object.keys(value)
    return length === 0 ? missing : notAFile(length)
  } catch {
    return undefined
  }
}

/** Blank text counts as missing. */
function fromText(value: string): SubmittedFile {
  const text = trimmed(value)
  let characters = 0
  for (const _ of text) characters += 1
  return characters === 0 ? missing : notAFile(characters)
}

function notAFile(length: number): SubmittedFile {
  return { kind: 'not-a-file', length }
}
