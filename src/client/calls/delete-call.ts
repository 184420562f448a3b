import { endpoints, uploadPath } from '../../protocol/endpoints.ts'
import { isJsonAnswer, isSuccess } from '../answer.ts'
import type { Caller } from '../caller.ts'
import { NotFoundError, UnexpectedResponseError } from '../errors.ts'
import type { CallOptions } from '../options.ts'
import { assertDeleted } from '../response.ts'

/**
 * Deletes one upload (spec 4.4). A 404 is a success if an earlier attempt may have deleted the upload. A success that
 * cannot be read is followed by one more deletion, whose answer tells.
 */
export async function deleteUpload(caller: Caller, slug: string, { signal }: CallOptions = {}): Promise<void> {
  const { method } = endpoints.delete
  for (let mayBeGone = false; ; mayBeGone = true) {
    const { answer, context, refusal, interrupted } = await caller.call({ method, path: uploadPath(slug), signal })
    try {
      if (refusal !== undefined) throw refusal
      return assertDeleted(answer, context)
    } catch (error) {
      if ((mayBeGone || interrupted) && error instanceof NotFoundError) return
      const unreadable = error instanceof UnexpectedResponseError && isSuccess(answer) && isJsonAnswer(answer)
      if (mayBeGone || !unreadable) throw error
    }
  }
}
