import type { FileIntake } from './file-intake.ts'
import { createFileMeter } from './file-meter.ts'

/** Measures files and keeps nothing of them. */
export const measuringFiles = {
  receive(name: string): FileIntake {
    const meter = createFileMeter(name)
    return {
      write: async (chunk) => meter.take(chunk),
      finish: async () => ({ kind: 'file', ...meter.measured(), mimeType: undefined, maxBytes: 0 }),
      discard: async () => {},
      received: meter.measured,
    }
  },
  discard: async () => {},
}
