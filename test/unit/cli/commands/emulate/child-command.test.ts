import { expect, test } from 'vitest'
import { runChild } from '../../../../../src/cli/commands/emulate/child-command.ts'
import { createInterruption } from '../../../../../src/cli/run/interruption.ts'
import type { Clock } from '../../../../../src/index.ts'
import { until } from '../../../../helpers/until.ts'

/** A clock whose sleeps end when the test says so. */
function heldClock() {
  const sleeps: { readonly ms: number; readonly signal: AbortSignal | undefined; readonly wake: () => void }[] = []
  const clock: Clock = {
    now: () => 0,
    sleep: (ms, signal) => new Promise((wake) => sleeps.push({ ms, signal, wake })),
  }
  return { clock, sleeps }
}

const env = { PATH: process.env['PATH'] }

test('on a terminal a SIGINT is forwarded once, if the command is still running after a while', async () => {
  const { clock, sleeps } = heldClock()
  const interruption = createInterruption()
  const ended = runChild(['sleep', '60'], { env, interruption, clock, terminal: true })
  interruption.stop('SIGINT')
  interruption.stop('SIGINT')
  expect(sleeps.map(({ ms }) => ms)).toEqual([500])
  sleeps[0]?.wake()
  expect(await ended).toBe(130)
})

test('on a terminal a command that ended on Ctrl-C gets no second SIGINT', async () => {
  const { clock, sleeps } = heldClock()
  const interruption = createInterruption()
  const ended = runChild(['true'], { env, interruption, clock, terminal: true })
  interruption.stop('SIGINT')
  expect(await ended).toBe(0)
  await until(() => sleeps[0]?.signal?.aborted === true)
})

test.each([
  ['SIGTERM', true, 143],
  ['SIGINT', false, 130],
] as const)('%s with a terminal: %s is forwarded at once', async (cause, terminal, code) => {
  const { clock, sleeps } = heldClock()
  const interruption = createInterruption()
  const ended = runChild(['sleep', '60'], { env, interruption, clock, terminal })
  interruption.stop(cause)
  expect(await ended).toBe(code)
  expect(sleeps).toEqual([])
})

test('an empty command name ends with command not found', async () => {
  const options = { env, interruption: createInterruption(), clock: heldClock().clock, terminal: false }
  await expect(runChild([''], options)).rejects.toMatchObject({ code: 'command-not-found' })
})
