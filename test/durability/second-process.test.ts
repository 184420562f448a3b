import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRig } from '../helpers/rig.ts'
import { startEmulator } from './load.ts'

test('a second process on the same folder is refused in one line that names both, and the first keeps working', async () => {
  const rig = await createRig()
  const { running, ready } = await startEmulator(rig)
  const { code, stdout, stderr } = await rig.fh(['emulate', '--data', 'data', '--port', '0'])
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(new RegExp(`^fh: The folder ${join(rig.folder, 'data')} is in use by process ${ready.pid}:`))
  expect((await fetch(`${ready.base_url}/api/stats`, { headers: { 'X-Api-Key': ready.api_key } })).status).toBe(200)
  running.child.kill('SIGTERM')
  expect((await running.ended).code).toBe(0)
  expect(readdirSync(join(rig.folder, 'data')).sort()).toEqual(['blobs', 'records.db', 'tmp'])
})
