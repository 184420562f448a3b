import { version } from '../../../package.json'
import type { ClientEvent, Clock, Transport } from '../../index.ts'
import { readWireSettings } from '../config/connection.ts'
import type { Context } from './context.ts'

/** How raw files are fetched: with the proxy and certificate authorities of the settings, and without the API key. */
export interface SiteAccess {
  readonly transport: Transport
  readonly clock: Clock
  readonly retries: number
  readonly maxWaitMs: number
  readonly userAgent: string
  readonly onEvent: (event: ClientEvent) => void
}

/** The caller closes its transport. */
export async function openSiteAccess({ settings, openTransport, clock, reporter }: Context): Promise<SiteAccess> {
  const wire = await readWireSettings(settings())
  const transport = openTransport(wire)
  const onEvent = (event: ClientEvent) => reporter.report({ type: 'wire', event })
  return { ...wire.patience, transport, clock, userAgent: `fh/${version}`, onEvent }
}
