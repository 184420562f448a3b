import { createEmulator } from 'filehost/emulator'
import { emulatorHandlers } from 'filehost/msw'
import { emulatorTest } from 'filehost/vitest'
import { expect, test } from 'vitest'

test.each([
  ['createEmulator', createEmulator],
  ['emulatorHandlers', emulatorHandlers],
  ['emulatorTest', emulatorTest],
  ['emulatorTest.extend', () => emulatorTest.extend({})],
])('%s refuses a page, with what to do instead', (_, call) => {
  const hint = expect.stringContaining('globalSetup')
  expect(() => call()).toThrow(expect.objectContaining({ code: 'not-for-browsers', hint }))
})
