import { checkOptions } from '../../checks/options.ts'
import { endpoints, uploadPath } from '../../protocol/endpoints.ts'
import type { Caller, CallResult } from '../caller.ts'
import { NotFoundError, UnexpectedResponseError } from '../errors.ts'
import { isJsonAnswer, isSuccess } from '../exchange.ts'
import { callOptions, checkSlug } from '../option-checks.ts'
import type { CallOptions } from '../options.ts'
import { assertDeleted } from '../response.ts'

/**
 * Deletes one upload (spec 4.4). A 404 is a success if an earlier attempt may have deleted the upload. After a success
 * that cannot be read the client sends one more deletion, whose answer tells.
 */
export async function deleteUpload(caller: Caller, slug: string, options: CallOptions = {}): Promise<void> {
  checkSlug('client.delete', slug)
  checkOptions('client.delete', options, callOptions)
  const { signal } = options
  const { method } = endpoints.delete
  const path = uploadPath(slug)
  const first = await caller.call({ method, path, signal, read: problemOf })
  if (first === undefined) return
  if (!first.isUnreadable) throw first.error
  const second = await caller.call({ method, path, signal, read: problemOf })
  if (second !== undefined && !(second.error instanceof NotFoundError)) throw second.error
}

/** Why an answer does not say that the upload is gone; undefined if it does. */
function problemOf({ answer, context, refusal, interrupted }: CallResult) {
  try {
    if (refusal !== undefined) throw refusal
    assertDeleted(answer, context)
    return undefined
  } catch (error) {
    if (interrupted && error instanceof NotFoundError) return undefined
    const isUnreadable = error instanceof UnexpectedResponseError && isSuccess(answer) && isJsonAnswer(answer)
    return { error, isUnreadable }
  }
}
