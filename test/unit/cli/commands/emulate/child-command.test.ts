import { expect, test } from 'vitest'
import { runChild } from '../../../../../src/cli/commands/emulate/child-command.ts'
import { createInterruption } from '../../../../../src/cli/context/interruption.ts'
import type { Clock } from '../../../../../src/index.ts'
import { until } from '../../../../helpers/until.ts'

/** Runs a command with a clock whose sleeps end when the test says so. */
function run(command: readonly string[], terminal: boolean) {
  const sleeps: { readonly ms: number; readonly signal: AbortSignal | undefined; readonly wake: () => void }[] = []
  const clock: Clock = {
    now: () => 0,
    sleep: (ms, signal) => new Promise((wake) => sleeps.push({ ms, signal, wake })),
  }
  const interruption = createInterruption()
  const ended = runChild(command, { env: { PATH: process.env['PATH'] }, interruption, clock, terminal })
  return { sleeps, ended, stop: interruption.stop }
}

test('on a terminal a SIGINT is forwarded once, if the command is still running after a while', async () => {
  const { sleeps, ended, stop } = run(['sleep', '60'], true)
  stop('SIGINT')
  stop('SIGINT')
  expect(sleeps.map(({ ms }) => ms)).toEqual([500])
  sleeps[0]?.wake()
  expect(await ended).toBe(130)
})

test('on a terminal a command that ended on Ctrl-C gets no second SIGINT', async () => {
  const { sleeps, ended, stop } = run(['true'], true)
  stop('SIGINT')
  expect(await ended).toBe(0)
  await until(() => sleeps[0]?.signal?.aborted === true)
})

test.each([
  ['SIGTERM', true, 143],
  ['SIGINT', false, 130],
] as const)('%s with a terminal: %s is forwarded at once', async (cause, terminal, code) => {
  const { sleeps, ended, stop } = run(['sleep', '60'], terminal)
  stop(cause)
  expect([await ended, sleeps]).toEqual([code, []])
})
