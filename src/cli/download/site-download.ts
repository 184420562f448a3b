import { version } from '../../../package.json'
import { type ClientEvent, type DownloadTarget, download, parseProxy, type Transport } from '../../index.ts'
import type { Context } from '../context.ts'
import { createCliTransport } from '../service/cli-transport.ts'
import { readCaFile } from '../settings/ca-file.ts'
import { parseMaxWait, parseRetries, parseTimeout, readSetting } from '../settings/setting-values.ts'

/** Fetches raw files as the settings want it: through their proxy, trusting their authorities, and without the key. */
export interface SiteDownloader extends AsyncDisposable {
  fetch(url: string, target: DownloadTarget, signal: AbortSignal): Promise<void>
}

export async function createSiteDownloader({ settings, io, clock, reporter }: Context): Promise<SiteDownloader> {
  const current = settings()
  const transport: Transport = createCliTransport({
    idleTimeoutMs: readSetting(current, 'timeout', parseTimeout) ?? 120_000,
    proxy: readSetting(current, 'proxy', parseProxy),
    ca: current.ca_cert === undefined ? undefined : await readCaFile(current.ca_cert.value),
    env: io.env,
  })
  const retries = readSetting(current, 'retries', parseRetries) ?? 5
  const maxWaitMs = readSetting(current, 'max_wait', parseMaxWait) ?? Number.POSITIVE_INFINITY
  const onEvent = (event: ClientEvent) => reporter.report({ type: 'wire', event })
  return {
    fetch: (url, target, signal) =>
      download(url, target, { transport, clock, retries, maxWaitMs, userAgent: `fh/${version}`, signal, onEvent }),
    async [Symbol.asyncDispose]() {
      await transport.close?.()
    },
  }
}
