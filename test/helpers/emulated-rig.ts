import { onTestFinished } from 'vitest'
import { createEmulator } from '../../emulator/index.ts'
import { unlimited } from '../../src/protocol/rate-limits.ts'
import { createRig, type RigOptions } from './rig.ts'

/** If the service counts nothing, `fh` should not either: it would only wait. */
const uncounted = { FH_LIMITS: 'none' }
export type EmulatorOptions = NonNullable<Parameters<typeof createEmulator>[0]>

/** A {@link createRig} whose service is an emulator in this process, without quotas unless some are given. */
export async function emulatedRig({ env, ...options }: EmulatorOptions & Pick<RigOptions, 'env'> = {}) {
  const emulator = await createEmulator({ quotas: unlimited, ...options })
  onTestFinished(() => emulator.close())
  const { baseUrl } = await emulator.listen()
  const rig = await createRig({
    service: { baseUrl, apiKey: emulator.apiKey },
    env: { ...(options.quotas === undefined && uncounted), ...env },
  })
  return { ...rig, emulator, baseUrl }
}
