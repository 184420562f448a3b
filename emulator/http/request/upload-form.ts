import { uploadField } from '../../../src/protocol/endpoints.ts'
import type { SubmittedFile } from '../../service/file-rules.ts'
import type { Uploads } from '../../service/uploads.ts'
import { overrideField } from './method-override.ts'
import { isOfType, type PartSink, readMultipart } from './multipart.ts'
import { PhpArray, parseVariables, readName, setVariable, textOf, trimmed } from './php-variables.ts'
import { longestTextBytes, receiveText } from './request-body.ts'
import { queryValue } from './request-target.ts'

/** What an upload request has in its form. */
export interface UploadForm {
  readonly file: SubmittedFile
  /** The method that the form means, where it names one; of any case. */
  readonly method?: string | undefined
}

/**
 * Reads what an upload request has in its `file` field, whatever kind of body it chose (spec 4.1); the bytes of a file
 * are stored as they arrive. What the body has no value for is looked for in the query, as the framework does.
 */
export async function readUploadForm(
  contentType: string,
  { body, query }: { readonly body: AsyncIterable<Uint8Array>; readonly query: PhpArray },
  uploads: Uploads,
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

/** What is in `$_FILES` and `$_POST`, as far as it matters. */
async function readMultipartForm(
  contentType: string,
  { body, query }: { readonly body: AsyncIterable<Uint8Array>; readonly query: PhpArray },
  uploads: Uploads,
): Promise<UploadForm> {
  const texts = new PhpArray()
  let file = missing
  /** Of several values for one field the last one counts; a file that another follows is dropped at once. */
  const follow = async (next: SubmittedFile) => {
    const earlier = file
    file = next
    await uploads.dismiss(earlier)
  }
  let mostBytes = Number.POSITIVE_INFINITY
  try {
    await readMultipart(contentType, body, {
      textLimit: (name) => (isHeld(name) ? longestTextBytes : 0),
      text(name, value) {
        if (name.toLowerCase() === sizeField) mostBytes = Number.parseInt(value, 10) || Number.POSITIVE_INFINITY
        if (isHeld(name) || readName(name).variable === uploadField) setVariable(texts, name, value)
      },
      async file(name, fileName) {
        const { variable, keys } = readName(name)
        if (variable !== uploadField) return undefined
        const isInList = keys.length > 0
        // A file input left empty arrives as a part with an empty file name: no file, and in a list nothing at all.
        if (fileName === '' && isInList && file.kind === 'not-a-file') return undefined
        await follow(fileName !== '' && isInList ? notAFile(1) : missing)
        return fileName === '' || isInList ? undefined : sinkOf(fileName, { follow, uploads, mostBytes })
      },
    })
  } catch (error) {
    await uploads.dismiss(file)
    throw error
  }
  // A file counts more than text.
  if (file.kind === 'missing') file = fromVariables(texts, query)
  return { file, method: queryValue(texts, overrideField) ?? undefined }
}

/** A field of this name says how large a file may be that comes after it. */
const sizeField = 'max_file_size'

/** Whether a text is looked at. Of those in a list it matters only that they are there. */
function isHeld(name: string): boolean {
  const { variable, keys } = readName(name)
  const isLookedAt = variable === uploadField || variable === overrideField
  return (isLookedAt && keys.length === 0) || name.toLowerCase() === sizeField
}

interface Reception {
  readonly follow: (file: SubmittedFile) => Promise<void>
  readonly uploads: Uploads
  /** A larger file fails. */
  readonly mostBytes: number
}

/** Takes in a file, which is the field's value once it has arrived. */
function sinkOf(fileName: string, { follow, uploads, mostBytes }: Reception): PartSink {
  const intake = uploads.receive(fileName)
  let sizeBytes = 0
  const cut = async () => {
    await intake.discard()
    await follow({ kind: 'incomplete' })
  }
  return {
    async write(chunk) {
      sizeBytes += chunk.length
      if (sizeBytes <= mostBytes) await intake.write(chunk)
    },
    async finish() {
      if (sizeBytes > mostBytes) return cut()
      await follow(await intake.finish())
    },
    cut,
  }
}

/** @param fallback has the value where the first have none at all */
function fromVariables(variables: PhpArray, fallback = new PhpArray()): SubmittedFile {
  const value = variables.values.get(uploadField) ?? fallback.values.get(uploadField)
  if (value === undefined) return missing
  return value instanceof PhpArray ? notAFile(value.values.size) : fromText(textOf(value))
}

/** @returns undefined where there is no value */
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

/** Blank text counts as no value at all. */
function fromText(value: string): SubmittedFile {
  const text = trimmed(value)
  let characters = 0
  for (const _ of text) characters += 1
  return characters === 0 ? missing : notAFile(characters)
}

function notAFile(length: number): SubmittedFile {
  return { kind: 'not-a-file', length }
}
