import { steadyMs } from '../../../../clock.ts'
import type { Clock } from '../../../../index.ts'
import { RemoteFile, type RemoteFileOptions } from '../../../../internal.ts'
import { type Context, openSiteAccess, type SiteAccess } from '../../../context/context.ts'

/** Fetches the files at URLs, over one transport for all of them. */
export type RemoteFiles = ReturnType<typeof createRemoteFiles>

type OpenOptions = Pick<RemoteFileOptions, 'name' | 'signal' | 'onAwaited'>

export function createRemoteFiles(context: Context) {
  let access: Promise<SiteAccess> | undefined
  return {
    /** @param index of the item in the batch. @throws as {@link RemoteFile.open} */
    async open(url: string, index: number, options: OpenOptions) {
      access ??= openSiteAccess(context)
      const site = await access
      return await RemoteFile.open(url, {
        ...site,
        ...options,
        onEvent(event) {
          site.onEvent(event)
          context.reporter.report({ type: 'item-wire', index, event })
        },
      })
    },
    async [Symbol.asyncDispose]() {
      // Who asked was told that it could not be opened.
      await (await access?.catch(() => undefined))?.transport.close?.()
    },
  }
}

/** After a signal, a site that sends nothing for so long is not waited for until the end of the grace period. */
const SILENT_MS = 1_000

/** Watches a site while one file of it is uploaded. */
export function watchSilence(stopping: AbortSignal, clock: Clock) {
  const silent = new AbortController()
  const over = new AbortController()
  let awaitedSince: number | undefined = steadyMs(clock)
  async function untilSilent(): Promise<void> {
    for (;;) {
      const left = awaitedSince === undefined ? SILENT_MS : awaitedSince + SILENT_MS - steadyMs(clock)
      if (left <= 0) return silent.abort(stopping.reason)
      await clock.sleep(left, over.signal)
    }
  }
  const begin = () => void untilSilent().catch(() => {})
  if (stopping.aborted) begin()
  else stopping.addEventListener('abort', begin, { once: true })
  return {
    /** Aborts once the run has been stopped and the site is silent. */
    signal: silent.signal,
    /** The upload begins or ends to wait for the site; time without such a wait is no silence. */
    awaited(isAwaited: boolean) {
      awaitedSince = isAwaited ? steadyMs(clock) : undefined
    },
    [Symbol.dispose]() {
      over.abort()
      stopping.removeEventListener('abort', begin)
    },
  }
}
