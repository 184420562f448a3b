import type { Fault } from '../../emulator/index.ts'
import { createClient, fetchTransport } from '../../src/index.ts'
import { type EmulatorOptions, emulatedRig } from './emulated-rig.ts'
import { jpegBytes } from './media.ts'
import { hurried } from './preload.ts'
import { uploadsDb } from './uploads-db.ts'

export type FilledRig = Awaited<ReturnType<typeof filledRig>>

/** Files of one size and type that differ in their last byte. */
export function lookalike(number: number, length = 5_000): Buffer {
  const bytes = jpegBytes(length)
  bytes[length - 1] = number
  return bytes
}

/** A folder of such files, p00.jpg and so on, and an emulator for programs. */
export async function filledRig(count: number, options: EmulatorOptions = {}) {
  // The list is read again after 5 s.
  const rig = await emulatedRig({ ...options, env: hurried })
  const { control } = rig.emulator
  const files = Array.from({ length: count }, (_, index) => `p${String(index).padStart(2, '0')}.jpg`)
  for (const [index, file] of files.entries()) await rig.write(file, lookalike(index))
  const stranger = createClient({
    baseUrl: rig.baseUrl,
    apiKey: rig.emulator.apiKey,
    pacing: false,
    transport: fetchTransport(rig.emulator.fetch),
  })
  return {
    ...rig,
    files,
    stranger,
    stored: () => control.health().uploads,
    views: async () => (await stranger.stats()).total_views,
    lose: (...actions: readonly Fault['action'][]) =>
      control.faults.set(actions.map((action) => ({ match: { method: 'POST', path: '/api/upload' }, action }))),
    struck: () => control.faults.list().reduce((sum, { struck }) => sum + struck, 0),
    open: async () => uploadsDb(rig.home).open().length,
  }
}
