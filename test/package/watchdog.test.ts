import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Watchdog } from '../watchdog/watchdog.ts'

vi.mock('../watchdog/processes.ts', () => ({ processesBelow: () => [] }))

const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
const config = fileURLToPath(new URL('../watchdog/standing-still/vitest.config.ts', import.meta.url))

test('a run whose tests never end is ended: it names them and the programs they started, and fails', async () => {
  const child = spawn(process.execPath, [vitest, 'run', '--config', config])
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdout.on('data', (said: Buffer) => {
    if (said.includes('has started')) child.stdin.write('a minute passes\n')
  })
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect(stderr).toMatch(
    /The run stands still: .*\n.* > waits for a program that never ends\n +has started \d+: .*setInterval/,
  )
  expect(stderr).toMatch(/The run stands still: .*\n.* > never gives its process back\n/)
  expect(code).toBe(1)
})

test('a run without a worker, as between two files, does not count as standing still', () => {
  vi.stubEnv('TEST_WATCHDOG_NOTES', process.env['TEST_WATCHDOG_NOTES'])
  vi.useFakeTimers()
  const reported = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const watchdog = new Watchdog({ patienceMs: 200 })
  try {
    watchdog.onTestRunStart()
    vi.advanceTimersByTime(400)
    expect(reported).not.toHaveBeenCalled()
  } finally {
    watchdog.onTestRunEnd()
    reported.mockRestore()
    vi.useRealTimers()
    vi.unstubAllEnvs()
  }
})
