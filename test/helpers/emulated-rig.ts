import { onTestFinished } from 'vitest'
import { createEmulator } from '../../emulator/index.ts'
import { createRig } from './rig.ts'

/** Where the service counts nothing, waiting for a count of our own would only take time. */
const uncounted = { env: { FH_LIMITS: 'none' } }
const unlimited = { burst: null, minute: null, hour: null, day: null }

export type EmulatorOptions = NonNullable<Parameters<typeof createEmulator>[0]>

/** A {@link createRig} whose service is an emulator of its own; without quotas unless some are given. */
export async function emulatedRig(options: EmulatorOptions = {}) {
  const emulator = await createEmulator({ quotas: unlimited, ...options })
  onTestFinished(() => emulator.close())
  const { baseUrl } = await emulator.listen()
  const rig = await createRig({
    service: { baseUrl, apiKey: emulator.apiKey },
    ...(options.quotas === undefined && uncounted),
  })
  return { ...rig, emulator, baseUrl }
}
