import { createVirtualClock } from '../../../../../emulator/clock/virtual-clock.ts'
import { createInventions } from '../../../../../emulator/service/inventions.ts'
import type { Service } from '../../../../../emulator/service/service.ts'
import { createService } from '../../../../../emulator/service/service.ts'
import { type DeriveHash, deriveHash } from '../../../../../emulator/service/sign-in/stored-password.ts'
import { createSettings } from '../../../../../emulator/settings/settings.ts'
import { createMemoryStorage, type Storage } from '../../../../../emulator/storage/storage.ts'

/** A service on a virtual clock. */
export function serviceOn(
  storage: Storage = createMemoryStorage(),
  { clock = createVirtualClock(), derive = deriveHash } = {},
) {
  const parts = { ...storage, settings: createSettings(), clock, inventions: createInventions() }
  const service: Service = createService({ ...parts, makeThumbnail: async () => undefined }, derive)
  return { service, storage, clock }
}

/** A quick derivation, and how often it was used. */
export function quickDerivation(): { readonly derive: DeriveHash; calls(): number } {
  let calls = 0
  const derive: DeriveHash = async (digest, salt) => {
    calls += 1
    return Buffer.from(`${digest} ${Buffer.from(salt).toString('hex')}`.slice(0, 32).padEnd(32))
  }
  return { derive, calls: () => calls }
}
