import { hash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { openDataFolder } from '../../emulator/storage/open.ts'
import { createRig } from '../helpers/rig.ts'
import { takesLong } from '../helpers/takes-long.ts'
import { until } from '../helpers/until.ts'
import { between, createRandom } from '../pacing/simulation/random.ts'
import { sampledRuns } from '../sampling/sample.ts'
import { everything } from '../unit/emulator/storage/records.ts'
import { createLedger, keepBusy, type Ledger, startEmulator } from './load.ts'

/** Compares a folder that no process uses with what the clients know. */
async function audit(folder: string, apiKey: string, { kept, deleted, doubtful, units, sent }: Ledger) {
  const storage = await openDataFolder(folder)
  const { records, blobs } = storage
  const uploads = records.uploads.newest(1, everything)
  const bySlug = new Map(uploads.map((upload) => [upload.slug, upload]))
  expect([...kept.keys()].filter((slug) => !bySlug.has(slug))).toEqual([])
  expect([...deleted].filter((slug) => bySlug.has(slug))).toEqual([])
  for (const { slug, blobId, sizeBytes } of uploads) {
    const bytes = await buffer(blobs.read(blobId ?? ''))
    const digest = hash('sha256', bytes)
    expect(bytes.length).toBe(sizeBytes)
    expect([kept.get(slug) ?? digest, sent.has(digest)]).toEqual([digest, true])
  }

  const logged = (method: string, status: number) =>
    records.requests.select().filter((request) => request.method === method && request.status === status).length
  // An upload and its log entry are stored together, acknowledged or not; so are a deletion and its entry.
  expect(logged('POST', 201) - logged('DELETE', 200)).toBe(uploads.length)
  expect(logged('POST', 201)).toBeGreaterThanOrEqual(kept.size + deleted.size + doubtful.size)
  expect(records.requests.logged(1)).toBe(records.requests.select().length)
  expect(records.uploads.totals(1)).toEqual({
    uploads: uploads.length,
    views: 0,
    bytes: uploads.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  })
  const account = records.accounts.findByKey(apiKey)
  const { day } = records.requests.chargeOf(account?.id ?? 0)
  expect(day).toMatchObject({ kind: 'fixed', units: expect.any(Number) })
  expect(day !== undefined && 'units' in day && day.units).toBeGreaterThanOrEqual(units)
  await storage.close()

  const files = readdirSync(join(folder, 'blobs'), { recursive: true, withFileTypes: true })
  const names = files.filter((entry) => entry.isFile()).map(({ name }) => name)
  expect(names.sort()).toEqual(uploads.map(({ blobId }) => blobId).sort())
  expect(readdirSync(join(folder, 'tmp'))).toEqual([])
  return uploads.length
}

test(
  'a process killed at any moment has lost nothing it acknowledged and left nothing half done',
  takesLong(120, 'it starts, loads and kills several emulators'),
  async () => {
    const rig = await createRig()
    const ledger = createLedger()
    const { seed, numRuns } = sampledRuns(6, 3)
    const random = createRandom(seed)
    const keys = new Set<string>()
    let stored = 0
    for (let round = 0; round < numRuns; round += 1) {
      const { running, ready } = await startEmulator(rig)
      keys.add(ready.api_key)
      const clients = Promise.all([1, 2, 3, 4].map(() => keepBusy(ready, ledger, random)))
      const enough = ledger.sent.size + Math.floor(between(random, [20, 80]))
      await Promise.race([until(() => ledger.sent.size >= enough), clients])
      running.child.kill('SIGKILL')
      await running.ended
      await clients
      stored = await audit(join(rig.folder, 'data'), ready.api_key, ledger)
    }
    expect(keys.size).toBe(1)
    expect(stored).toBeGreaterThan(0)
  },
)
