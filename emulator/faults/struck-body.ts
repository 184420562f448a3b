import { receiveForm } from '../http/logged-form.ts'
import type { RequestContext } from '../http/request-context.ts'
import { measuringFiles } from '../service/file-intake.ts'

type Body = AsyncIterable<Uint8Array>

/** Reads and discards a body, or its first bytes. */
export async function discardBody(body: Body, mostBytes?: number): Promise<void> {
  for await (const _ of firstOf(body, mostBytes));
}

/** The same of an API request; the log notes the file of an upload, so that a test sees what was sent. */
export async function discardRequest(context: RequestContext, mostBytes?: number): Promise<void> {
  const { route, entry, body } = context
  if (route?.endpoints.get(entry.method) !== 'upload') return discardBody(body, mostBytes)
  await receiveForm(context, measuringFiles, firstOf(body, mostBytes))
}

/** Reads nothing for no bytes. */
async function* firstOf(body: Body, mostBytes = Number.POSITIVE_INFINITY): Body {
  if (mostBytes === 0) return
  let left = mostBytes
  for await (const chunk of body) {
    yield chunk.subarray(0, left)
    left -= chunk.length
    if (left <= 0) return
  }
}
