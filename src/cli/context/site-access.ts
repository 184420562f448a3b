import { version } from '../../../package.json'
import type { ClientEvent } from '../../index.ts'
import { readWireSettings } from '../config/connection.ts'
import type { Context } from './context.ts'

/** How raw files are fetched: with the proxy and certificate authorities of the settings, and without the API key. */
export type SiteAccess = Awaited<ReturnType<typeof openSiteAccess>>

/** The caller closes its transport. */
export async function openSiteAccess({ settings, openTransport, clock, reporter }: Context) {
  const wire = await readWireSettings(settings())
  const transport = openTransport(wire)
  const onEvent = (event: ClientEvent) => reporter.report({ type: 'wire', event })
  return { ...wire.patience, transport, clock, userAgent: `fh/${version}`, onEvent }
}
