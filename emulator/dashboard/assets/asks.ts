import type { ConnectionInfo } from '../../control/control.ts'
import type { EtiquetteReport } from '../../control/etiquette-report.ts'
import type { FaultTypeListing } from '../../control/fault-control.ts'
import type { RequestDetail } from '../../control/request-detail.ts'
import type { SettingListing } from '../../settings/listing.ts'
import { addressed } from './address.ts'
import { call, silence } from './api.ts'
import { CallRefusal } from './input.ts'
import { later } from './page-clock.ts'
import { change } from './store.ts'

/** The tables of settings and faults never change while the emulator runs. */
export async function askTypes(): Promise<void> {
  try {
    const settingTypes = await call<readonly SettingListing[]>('GET', '/settings/types')
    change({ settingTypes, faultTypes: await call<readonly FaultTypeListing[]>('GET', '/faults/types') })
  } catch {
    later(2_000, askTypes)
  }
}

/** The first account's key changes with a new one, a reset and a restore. */
export async function askConnection(): Promise<void> {
  const connection = await call<ConnectionInfo>('GET', '/connection').catch(() => undefined)
  if (connection !== undefined) change({ connection })
}

/** Asks for the request that the page's address names. */
export async function askDetail(): Promise<void> {
  const number = addressed('request')
  change({ detail: undefined })
  if (number === undefined) return
  const detail = await call<RequestDetail>('GET', `/requests/${encodeURIComponent(number)}`).catch((error: unknown) =>
    error instanceof CallRefusal && error.status === 0 ? silence : null,
  )
  if (addressed('request') === number) change({ detail })
}

let isAsked = false

/** The sums of the etiquette report, every two seconds at most. */
export function askFindings(): void {
  if (isAsked) return
  isAsked = true
  later(300, async () => {
    const report = await call<EtiquetteReport>('GET', '/report?limit=0').catch(() => undefined)
    if (report !== undefined) change({ findings: report.findings })
    later(2_000, () => {
      isAsked = false
    })
  })
}
