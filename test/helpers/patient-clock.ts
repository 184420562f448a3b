import { type Clock, systemClock } from '../../src/clock.ts'

/** For the way to a server: bounds last twenty times as long, since a busy machine is not a slow server. */
export const patientClock: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms * 20, signal) }
