import { expect, test } from 'vitest'
import { createRig } from '../helpers/rig.ts'
import { runningEmulator } from '../helpers/running-emulator.ts'

/** A client that does what its arguments say, one call each. */
const client = `const { FH_BASE_URL, FH_API_KEY } = process.env
for (const path of process.argv.slice(2)) {
  await fetch(FH_BASE_URL + path.replace('KEY', FH_API_KEY), path.includes('KEY') ? {} : { headers: { 'X-Api-Key': FH_API_KEY } })
}
process.exitCode = Number(process.env.CODE ?? 0)`

/** Runs the client with these calls. */
async function strictly(
  paths: readonly string[],
  { flags = [], CODE = '0' }: { flags?: string[]; CODE?: string } = {},
) {
  const rig = await createRig()
  await rig.write('client.mjs', client)
  const args = ['emulate', '-q', '--clock', 'virtual', '--strict-client', '--quota', 'burst=3', ...flags]
  return rig.fh([...args, '--', process.execPath, 'client.mjs', ...paths], { env: { CODE } })
}

test('--strict-client fails a run whose clients broke the rules, and says how', async () => {
  const { code, stderr } = await strictly([...Array<string>(5).fill('/api/stats'), '/api/stats?api_key=KEY'])
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /^fh: 2 requests against the rules \(before_retry_after\), such as GET \/api\/stats at .*\n {2}After a 429 or a 503, send nothing until Retry-After has passed$/m,
  )
  expect(stderr).toMatch(/^fh: 1 request against the rules \(key_in_query\), such as GET \/api\/stats at/m)
})

test('--strict-client keeps the code of a failed command, and prints findings as JSON with --json', async () => {
  const { code, stderr } = await strictly(['/api/uploads/none'], { flags: ['--json'], CODE: '7' })
  const message = expect.stringMatching(/^1 request against the rules \(wasted_units, \d+ units?\), such as GET \/api/)
  const finding = { code: 'client-misbehaved', exit_code: 1, message }
  expect([code, JSON.parse(stderr.trim().split('\n').at(-1) ?? '')]).toMatchObject([7, finding])
})

test('--strict-client judges only this run, even with data of earlier ones, and keeps 0 if its clients behaved', async () => {
  const rig = await createRig()
  await rig.write('client.mjs', client)
  const run = (path: string) =>
    rig.fh(['emulate', '-q', '--data', 'kept', '--strict-client', '--', process.execPath, 'client.mjs', path])
  expect((await run('/api/uploads/none')).code).toBe(1)
  expect(await run('/api/stats')).toMatchObject({ code: 0, stderr: '' })
})

test('--strict-client without a command fails when it is stopped', async () => {
  const { running, baseUrl } = await runningEmulator('--strict-client')
  await fetch(`${baseUrl}/api/stats?api_key=k`)
  running.child.kill('SIGINT')
  const { code, stderr } = await running.ended
  expect([code, JSON.parse(stderr).code]).toEqual([1, 'client-misbehaved'])
})
