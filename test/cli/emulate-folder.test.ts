import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqlite } from '../../emulator/storage/sqlite/open-sqlite.ts'
import { createRig } from '../helpers/rig.ts'

test('fh emulate refuses a folder of something else that has an empty records.db and a tmp, and leaves every file', async () => {
  const rig = await createRig()
  const data = join(rig.folder, 'project')
  mkdirSync(join(data, 'tmp', 'deep'), { recursive: true })
  writeFileSync(join(data, 'tmp', 'deep', 'thesis.txt'), 'precious')
  writeFileSync(join(data, 'records.db'), '')
  const { code, stdout, stderr } = await rig.fh(['emulate', '--port', '0', '--data', 'project'])
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(`fh: The folder ${data} has "tmp" in it and no emulator data: choose an empty folder`)
  expect(readFileSync(join(data, 'tmp', 'deep', 'thesis.txt'), 'utf8')).toBe('precious')
})

test('fh emulate refuses a folder whose tmp is a link, and leaves what the link leads to', async () => {
  const rig = await createRig()
  await rig.fh(['emulate', '-q', '--data', 'data', '--', 'true'])
  const [data, work] = [join(rig.folder, 'data'), join(rig.folder, 'work')]
  mkdirSync(work)
  writeFileSync(join(work, 'a'.repeat(32)), 'precious')
  rmSync(join(data, 'tmp'), { recursive: true })
  symlinkSync(work, join(data, 'tmp'))
  const { code, stderr } = await rig.fh(['emulate', '--port', '0', '--data', 'data'])
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`The folder ${data} cannot be used: ${data}/tmp is a link`),
  ])
  expect(readFileSync(join(work, 'a'.repeat(32)), 'utf8')).toBe('precious')
})

test('fh emulate names a damaged row with its folder before it says that it is ready', async () => {
  const rig = await createRig()
  await rig.write('seed.json', JSON.stringify({ accounts: [{ api_key: 'k', uploads: [{ count: 2 }] }] }))
  await rig.fh(['emulate', '-q', '--seed', 'seed.json', '--data', 'data', '--', 'true'])
  const data = join(rig.folder, 'data')
  const database = await openSqlite(join(data, 'records.db'))
  database.run("UPDATE uploads SET rest = 'null' WHERE id = 2")
  database.close()
  const { code, stdout, stderr } = await rig.fh(['emulate', '--json', '--port', '0', '--data', 'data'])
  expect(code).toBe(1)
  expect(stdout).not.toContain('base_url')
  expect(stdout + stderr).toMatch(
    /The folder \S+data cannot be used: the row \S+ of uploads in its records.db is damaged/,
  )
})
