import { RemoteFile, type RemoteFileOptions } from '../../../../internal.ts'
import type { Context } from '../../../context/context.ts'
import { openSiteAccess, type SiteAccess } from '../../../context/site-access.ts'

/** Fetches the files at URLs, over one transport for all of them. */
export interface RemoteFiles extends AsyncDisposable {
  /** @param index of the item in the batch. @throws as {@link RemoteFile.open} */
  open(
    url: string,
    index: number,
    options: Pick<RemoteFileOptions, 'name' | 'signal' | 'onAwaited'>,
  ): Promise<RemoteFile>
}

export function createRemoteFiles(context: Context): RemoteFiles {
  let access: Promise<SiteAccess> | undefined
  return {
    async open(url, index, options) {
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
      await (await access)?.transport.close?.()
    },
  }
}
