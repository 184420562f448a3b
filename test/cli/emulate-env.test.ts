import { execFileSync } from 'node:child_process'
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { deadAddress } from '../helpers/dead-address.ts'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { listening } from '../helpers/listening.ts'
import { createRig } from '../helpers/rig.ts'

test('emulate env prints commands that set any key in the shell', async () => {
  const apiKey = `it's-$HOME-"\`\\`
  const rig = await emulatedRig({ apiKey, quotas: { burst: 5 }, maxFileSizeBytes: 1_024 })
  const { code, stdout } = await rig.fh(['emulate', 'env', rig.baseUrl], { env: { SHELL: '/bin/bash' } })
  expect(code).toBe(0)
  const script = `${stdout}\nprintf '%s\\n' "$FH_BASE_URL" "$FH_API_KEY" "$FH_EMULATOR_URL" "$FH_LIMITS" "$FH_MAX_FILE_SIZE"`
  expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(
    `${rig.baseUrl}\n${apiKey}\n${rig.baseUrl}/_emulator\nburst=5,minute=60,hour=1000,day=10000\n1024\n`,
  )
})

test('emulate env finds the emulator by its port, by FH_EMULATOR_URL and by the URL of its control API, and its current key', async () => {
  const { fh, baseUrl, emulator } = await emulatedRig()
  const { api_key } = emulator.control.accounts.regenerateKey(1)
  const control = `${baseUrl}/_emulator`
  const runs = [
    await fh(['emulate', 'env', '--port', new URL(baseUrl).port, '--json']),
    await fh(['emulate', 'env', '--json'], { env: { FH_EMULATOR_URL: control } }),
    await fh(['emulate', 'env', control, '--json']),
  ]
  for (const { stdout } of runs) {
    expect(JSON.parse(stdout)).toMatchObject({ FH_BASE_URL: baseUrl, FH_API_KEY: api_key })
  }
  const { stdout } = await fh(['emulate', 'env', baseUrl, '--shell', 'fish'])
  expect(stdout).toContain(`set -gx FH_API_KEY '${api_key}'\n`)
})

test('emulate env without an emulator prints nothing on stdout and ends with 5', async () => {
  const { fh } = await createRig()
  const stderr = expect.stringMatching(/^fh: No emulator answers at http:\/\/127.*\n {2}Start one with fh emulate/)
  expect(await fh(['emulate', 'env', await deadAddress()])).toMatchObject({ code: 5, stdout: '', stderr })
})

test('emulate wait ends with 0 once an emulator started later answers', async () => {
  const rig = await createRig()
  const address = await deadAddress()
  const waiting = rig.start(['emulate', 'wait', address, '--timeout', '10m'], { stdin: '' })
  rig.start(['emulate', '--json', '--port', new URL(address).port])
  expect(await waiting.ended).toMatchObject({ code: 0, stderr: `The emulator at ${address} answers\n` })
})

test('emulate wait ends with 5 after --timeout, and says what it found instead', async () => {
  const { fh } = await createRig()
  const foreign = `http://127.0.0.1:${await listening(createServer((_, response) => response.end('hello')))}`
  const there = await fh(['emulate', 'wait', foreign, '--timeout', '200ms'])
  const nowhere = await fh(['emulate', 'wait', await deadAddress(), '--timeout', '200ms'])
  expect([there.code, nowhere.code]).toEqual([5, 5])
  expect(there.stderr).toContain('within 0.2 s: the server there is not an emulator (status 200)')
  expect(nowhere.stderr).toContain('ECONNREFUSED')
})

test('after -- the words env and wait are run as commands', async () => {
  const { program } = await createRig()
  const command = ['env', 'FH_EXTRA=1', 'sh', '-c', 'echo $FH_EXTRA $FH_LIMITS']
  const { code, stdout } = await program(['emulate', '-q', '--', ...command])
  expect([code, stdout]).toEqual([0, '1 burst=20,minute=60,hour=1000,day=10000\n'])
})
