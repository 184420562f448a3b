import type { Reconciliation, UnknownOutcomeError } from '../../../index.ts'
import { createLookalikes, type Lookalikes } from '../../../internal.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Context } from '../../run/context.ts'
import { openSiteAccess, type SiteAccess } from '../../run/site-access.ts'

/** The {@link Lookalikes} of a run; made once the list leaves an outcome open. */
export interface RunLookalikes extends Lookalikes, AsyncDisposable {}

export function createRunLookalikes(journal: Journal, context: Context): RunLookalikes {
  let made: Promise<{ readonly access: SiteAccess; readonly lookalikes: Lookalikes }> | undefined

  async function make() {
    const access = await openSiteAccess(context)
    return { access, lookalikes: createLookalikes({ ...access, keeps: journal.keeps }) }
  }

  return {
    async tellApart(files, signal) {
      if (files.every(({ outcome }) => outcome.type !== 'ambiguous')) return files.map(({ outcome }) => outcome)
      made ??= make()
      return await (await made).lookalikes.tellApart(files, signal)
    },
    async [Symbol.asyncDispose]() {
      const { access } = (await made) ?? {}
      await access?.transport.close?.()
    },
  }
}

/** A file of this run that may have been stored. */
export interface UnknownFile {
  readonly path: string
  /** Of the bytes that were sent. */
  readonly sha256: string
}

/** Compares the file of an unknown outcome with the uploads that the list showed. */
export async function outcomeByContent(
  { candidates, intent, status = 0 }: UnknownOutcomeError,
  file: UnknownFile,
  lookalikes: Lookalikes,
  signal: AbortSignal,
): Promise<Reconciliation> {
  const outcome = { type: 'ambiguous', candidates } as const
  if (candidates.length === 0 || intent === undefined) return outcome
  try {
    const [result] = await lookalikes.tellApart([{ ...file, mimeType: intent.mimeType, outcome }], signal)
    // What was answered with a success is stored, or the other side is not the service: it is never sent again.
    const isSuccess = status >= 200 && status < 300
    return result === undefined || (isSuccess && result.type === 'not-stored') ? outcome : result
  } catch {
    // An abort, above all: what was not compared stays unknown.
    return outcome
  }
}
