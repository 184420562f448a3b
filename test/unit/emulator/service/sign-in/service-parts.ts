import { createVirtualClock } from '../../../../../emulator/clock/clock.ts'
import { createInventions } from '../../../../../emulator/service/inventions.ts'
import { createService, type Service } from '../../../../../emulator/service/service.ts'
import { createSettings } from '../../../../../emulator/settings/settings.ts'
import { openMemoryStorage, type Storage } from '../../../../../emulator/storage/open.ts'

/** A service on a virtual clock. */
export function serviceOn(storage: Storage = openMemoryStorage(), { clock = createVirtualClock() } = {}) {
  const settings = createSettings()
  const parts = { ...storage, settings, clock, inventions: createInventions() }
  const service: Service = createService({ ...parts, makeThumbnail: async () => undefined })
  return { service, storage, settings, clock }
}
