import { createEmulator, type Emulator } from '../../emulator/index.ts'
import { defaultLimits, unlimited } from '../../src/protocol/rate-limits.ts'
import { createPatientClock, type PatientClock } from './patient-clock.ts'
import type { Scenario } from './scenario.ts'

/** Does work with an emulator of its own, in virtual time. @param isShared whether several runs are at work at a time */
export async function onEmulator<Result>(
  { startAt, limited, settings }: Pick<Scenario, 'startAt' | 'limited' | 'settings'>,
  isShared: boolean,
  work: (emulator: Emulator, clock: PatientClock) => Promise<Result>,
): Promise<Result> {
  const clock = createPatientClock(startAt, { isShared })
  const quotas = limited ? defaultLimits : unlimited
  const { dialect, changes } = settings
  // The work moves the clock; a run that takes a second of real time is no news.
  const quiet = { onStandstill: () => {} }
  const emulator = await createEmulator({ clock: clock.service, dialect, settings: changes, quotas, ...quiet })
  try {
    return await work(emulator, clock)
  } finally {
    await emulator.close()
  }
}
