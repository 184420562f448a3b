import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { runNode, userProject } from '../helpers/user-project.ts'

/** Tests of a user, some of which fail as they should. */
const file = `
import { expect } from 'vitest'
import { emulatorTest } from 'filehost/vitest'

const photo = new Blob([new Uint8Array([0xff, 0xd8, 0xff, 0xe0])])
const strictTest = emulatorTest.extend({ strict: true })

strictTest('a strict test of a good client passes', async ({ client }) => {
  await client.upload(photo)
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
  const folder = userProject({ 'user.test.js': file })
  const words = ['run', '--root', folder, '--reporter=json', '--outputFile=out.json']
  await runNode(folder, resolve('node_modules/vitest/vitest.mjs'), ...words).catch(() => {})
  const { testResults } = JSON.parse(await readFile(join(folder, 'out.json'), 'utf8'))
  const results: readonly { title: string; failureMessages: readonly string[] }[] = testResults[0].assertionResults
  const reasons = results.map(({ failureMessages }) => failureMessages.map((text) => text.replace(/\n +at .*/s, '')))
  const found = Object.fromEntries(results.map(({ title }, index) => [title, reasons[index]]))
  const used = (kinds: string) => expect.stringContaining(`The account of this strict test was used badly:\n- ${kinds}`)
  expect(found).toEqual({
    'a strict test of a good client passes': [],
    'a strict test that fails by itself says both': ['Error: its own reason', used('wasted_units (1 request, 1 unit)')],
    'a test that fails leaves no fault': ['Error: after the fault'],
    'no fault is left': [],
  })
})
