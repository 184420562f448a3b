import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes } from '../helpers/media.ts'
import { until } from '../helpers/until.ts'

/** A rig with a.jpg, whose service answers a method late, so that another run comes between. */
async function slowRig(method: 'DELETE' | 'POST', ms: number) {
  const rig = await emulatedRig()
  const state = join(rig.home, '.local/state/fh')
  await rig.write('a.jpg', jpegBytes(500))
  const written = async () => {
    const files = ['uploads.journal', 'uploads.record'].map((name) => join(state, name)).filter(existsSync)
    return (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('')
  }
  return {
    ...rig,
    written,
    slow: () => rig.emulator.control.faults.add({ match: { method }, times: 1, action: { type: 'delay', ms } }),
    /** Resolves once a run has written such a line. */
    noted: (type: string) => until(async () => (await written()).includes(`{"type":"${type}"`)),
    upload: (...flags: readonly string[]) => rig.fh(['upload', 'a.jpg', '--format', 'slug', ...flags]),
  }
}

test('an upload waits for a deletion of its content by another run, and then sends the file', async () => {
  const { fh, program, emulator, slow, noted, upload } = await slowRig('DELETE', 1_500)
  const first = (await upload()).stdout.trim()
  slow()
  const deletion = program(['delete', '--yes', first])
  await noted('deleting')
  const { code, stdout } = await upload()
  expect([code, (await deletion).code, stdout.trim() === first]).toEqual([0, 0, false])
  expect((await fh(['list', '--fields', 'slug'])).stdout).toBe(stdout)
  expect(emulator.control.health().uploads).toBe(1)
})

test('a deletion that the service refuses leaves the link in use', async () => {
  const { fh, emulator, upload } = await slowRig('DELETE', 0)
  const first = (await upload()).stdout
  const action = { type: 'status', status: 403, body: { error: 'suspended' } } as const
  emulator.control.faults.add({ match: { method: 'DELETE' }, times: 1, action })
  expect((await fh(['delete', '--yes', first.trim()])).code).toBe(7)
  expect((await upload()).stdout).toBe(first)
})

test('logout --forget leaves what a running upload has, says which process that is, and it is forgotten when that ends', async () => {
  const { fh, start, emulator, slow, noted, upload, written } = await slowRig('POST', 2_500)
  slow()
  const running = start(['upload', 'a.jpg'], { stdin: '' })
  await noted('intent')
  const { code, stderr } = await fh(['logout', '--forget'])
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(
      new RegExp(
        `Process ${running.child.pid} has been uploading to the account since .*: what it records is forgotten`,
      ),
    ),
  ])
  const beside = upload()
  expect([(await running.ended).code, (await beside).code]).toEqual([0, 0])
  expect([emulator.control.health().uploads, (await beside).stderr]).toEqual([1, expect.stringContaining('skipped')])
  await fh(['logout', '--forget'])
  expect(await written()).not.toContain('a.jpg')
})

test('what a run records after logout --forget is gone once the run has ended', async () => {
  const { fh, start, slow, noted, written } = await slowRig('POST', 1_500)
  slow()
  const running = start(['upload', 'a.jpg'], { stdin: '' })
  await noted('intent')
  await fh(['logout', '--forget'])
  expect(await written()).toContain('a.jpg')
  expect((await running.ended).code).toBe(0)
  expect(await written()).not.toContain('a.jpg')
})

test.skipIf(process.platform !== 'linux')(
  'a run that waits for the upload of a stopped process names the process, since when it has it, and how to go on',
  async () => {
    const { start, slow, noted } = await slowRig('POST', 1_000)
    slow()
    const stopped = start(['upload', 'a.jpg'], { stdin: '' })
    await noted('intent')
    stopped.child.kill('SIGSTOP')
    const waiting = start(['upload', 'a.jpg'], { stdin: '' })
    const { pid } = stopped.child
    const said = await waiting.printed('stderr', /kill \d+ ends it/)
    expect(said).toMatch(
      new RegExp(
        `a.jpg: waiting for process ${pid}, which is stopped and has been uploading the same content since \\d\\d:\\d\\d.*; kill -CONT ${pid} lets it go on, kill ${pid} ends it`,
      ),
    )
    stopped.child.kill('SIGCONT')
    expect([(await stopped.ended).code, (await waiting.ended).code]).toEqual([0, 0])
  },
)
