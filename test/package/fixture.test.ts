import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

/** Tests of a user, some of which fail as they should. */
const file = `
import { expect } from 'vitest'
import { emulatorTest } from 'filehost/vitest'

const photo = new Blob([new Uint8Array([0xff, 0xd8, 0xff, 0xe0])])
const strictTest = emulatorTest.extend({ strict: true })

strictTest('a strict test of a good client passes', async ({ client }) => {
  await client.upload(photo)
})

strictTest('a strict test of a bad client fails', async ({ client }) => {
  for (const slug of ['aaaaaaaaaa', 'bbbbbbbbbb']) await client.show(slug).catch(() => {})
})

emulatorTest('the same client passes in a lenient test', async ({ client }) => {
  for (const slug of ['aaaaaaaaaa', 'bbbbbbbbbb']) await client.show(slug).catch(() => {})
})

strictTest('a strict test that fails by itself says both', async ({ client }) => {
  await client.show('aaaaaaaaaa').catch(() => {})
  throw new Error('its own reason')
})

emulatorTest('a test that fails leaves no fault', async ({ faults }) => {
  faults.add({ times: null, action: { type: 'status', status: 500 } })
  throw new Error('after the fault')
})

emulatorTest('no fault is left', ({ emulator }) => {
  expect(emulator.control.faults.list()).toEqual([])
})
`

test('a strict test fails with its findings, and a test that fails leaves no fault', async () => {
  const folder = temporaryFolder()
  await mkdir(join(folder, 'node_modules'))
  await symlink(resolve('.'), join(folder, 'node_modules/filehost'))
  await symlink(resolve('node_modules/vitest'), join(folder, 'node_modules/vitest'))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(join(folder, 'user.test.js'), file)
  const { NODE_OPTIONS: _, VITEST: _vitest, ...env } = process.env
  const args = [
    resolve('node_modules/vitest/vitest.mjs'),
    'run',
    '--root',
    folder,
    '--reporter=json',
    '--outputFile=out.json',
  ]
  await promisify(execFile)(process.execPath, args, { cwd: folder, env }).catch(() => {})
  const { testResults } = JSON.parse(await readFile(join(folder, 'out.json'), 'utf8'))
  const found = Object.fromEntries(
    testResults[0].assertionResults.map((one: { title: string; failureMessages: readonly string[] }) => [
      one.title,
      one.failureMessages.map((message) => message.replace(/\n +at .*/s, '')),
    ]),
  )
  const used = (kinds: string) => expect.stringContaining(`The account of this strict test was used badly:\n- ${kinds}`)
  expect(found).toEqual({
    'a strict test of a good client passes': [],
    'a strict test of a bad client fails': [used('wasted_units (2 requests, 2 units). Check a call before sending it')],
    'the same client passes in a lenient test': [],
    'a strict test that fails by itself says both': ['Error: its own reason', used('wasted_units (1 request, 1 unit)')],
    'a test that fails leaves no fault': ['Error: after the fault'],
    'no fault is left': [],
  })
})
