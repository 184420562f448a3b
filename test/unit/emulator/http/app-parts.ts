import { onTestFinished } from 'vitest'
import { createVirtualClock } from '../../../../emulator/clock/virtual-clock.ts'
import { createFaultBook } from '../../../../emulator/faults/fault-book.ts'
import type { AppParts } from '../../../../emulator/http/app.ts'
import { createEtiquetteWatch } from '../../../../emulator/http/etiquette-watch.ts'
import { createInventions } from '../../../../emulator/service/inventions.ts'
import { createService } from '../../../../emulator/service/service.ts'
import { createSettings } from '../../../../emulator/settings/settings.ts'
import { createMemoryStorage } from '../../../../emulator/storage/memory/memory-storage.ts'

/** What an app is made of, in memory; its control API answers 404, and all is safe at once. */
export function appParts(): AppParts {
  const storage = createMemoryStorage()
  onTestFinished(() => storage.close())
  const clock = createVirtualClock()
  const settings = createSettings()
  const service = createService({
    ...storage,
    settings,
    clock,
    inventions: createInventions(),
    makeThumbnail: async () => undefined,
  })
  return {
    service,
    settings,
    clock,
    faults: createFaultBook(),
    etiquette: createEtiquetteWatch(service),
    siteUrl: undefined,
    isDurable: false,
    control: async () => ({ status: 404, headers: {}, body: null }),
    flushed: async () => {},
    mark: () => 0,
  }
}
