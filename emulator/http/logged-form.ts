import { headerOf } from '../http-types.ts'
import type { FileIntake } from '../service/file-intake.ts'
import { type FileReceiver, readUploadForm, type UploadForm } from './request/upload-form.ts'
import { loggedFile, type RequestContext } from './request-context.ts'

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
