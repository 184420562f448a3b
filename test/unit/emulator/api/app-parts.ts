import { onTestFinished } from 'vitest'
import { EtiquetteWatch } from '../../../../emulator/api/admission.ts'
import type { AppParts } from '../../../../emulator/api/app.ts'
import { FaultBook } from '../../../../emulator/faults/fault-book.ts'
import { ExchangeLog } from '../../../../emulator/service/exchanges.ts'
import { serviceOn } from '../service/sign-in/service-parts.ts'

/** What an app is made of, in memory; its control API answers 404, and all is safe at once. */
export function appParts(): AppParts {
  const { service, storage, settings, clock } = serviceOn()
  onTestFinished(() => storage.close())
  return {
    service,
    settings,
    clock,
    faults: new FaultBook(),
    etiquette: new EtiquetteWatch(storage.records),
    exchanges: new ExchangeLog(),
    siteUrl: undefined,
    isDurable: false,
    control: async () => ({ status: 404, headers: {}, body: null }),
    flushed: async () => {},
    seeWhileStanding: () => {},
    records: { accounts: storage.records.accounts },
  }
}
