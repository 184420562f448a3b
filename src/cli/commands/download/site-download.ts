import { version } from '../../../../package.json'
import { type ClientEvent, type DownloadTarget, download } from '../../../index.ts'
import { createCliTransport } from '../../config/cli-transport.ts'
import { readWireSettings } from '../../config/wire-settings.ts'
import type { Context } from '../../run/context.ts'

/** Fetches raw files with the proxy and certificate authorities of the settings, and without the API key. */
export interface SiteDownloader extends AsyncDisposable {
  fetch(url: string, target: DownloadTarget, signal: AbortSignal): Promise<void>
}

export async function createSiteDownloader({ settings, io, clock, reporter }: Context): Promise<SiteDownloader> {
  const { retries, maxWaitMs, ...way } = await readWireSettings(settings())
  const transport = createCliTransport({ ...way, env: io.env })
  const onEvent = (event: ClientEvent) => reporter.report({ type: 'wire', event })
  return {
    fetch: (url, target, signal) =>
      download(url, target, { transport, clock, retries, maxWaitMs, userAgent: `fh/${version}`, signal, onEvent }),
    async [Symbol.asyncDispose]() {
      await transport.close?.()
    },
  }
}
