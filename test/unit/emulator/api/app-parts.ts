import { onTestFinished } from 'vitest'
import { EtiquetteWatch } from '../../../../emulator/api/admission.ts'
import type { AppParts } from '../../../../emulator/api/app.ts'
import { createVirtualClock } from '../../../../emulator/clock/clock.ts'
import { FaultBook } from '../../../../emulator/faults/fault-book.ts'
import { ExchangeLog } from '../../../../emulator/service/exchanges.ts'
import { createInventions } from '../../../../emulator/service/inventions.ts'
import { createService } from '../../../../emulator/service/service.ts'
import { createSettings } from '../../../../emulator/settings/settings.ts'
import { openMemoryStorage } from '../../../../emulator/storage/open.ts'

/** What an app is made of, in memory; its control API answers 404, and all is safe at once. */
export function appParts(): AppParts {
  const [storage, settings, clock] = [openMemoryStorage(), createSettings(), createVirtualClock()]
  const given = { ...storage, settings, clock, inventions: createInventions() }
  const service = createService({ ...given, makeThumbnail: async () => undefined })
  onTestFinished(() => storage.close())
  return {
    service,
    settings,
    clock,
    faults: new FaultBook(),
    etiquette: new EtiquetteWatch(),
    exchanges: new ExchangeLog(),
    siteUrl: undefined,
    isDurable: false,
    control: async () => ({ status: 404, headers: {}, body: null }),
    flushed: async () => {},
    seeWhileStanding: () => {},
    records: { accounts: storage.records.accounts },
  }
}
