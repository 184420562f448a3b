import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { HELD_MS, heldClock } from '../helpers/held-clock.ts'
import { jpegBytes } from '../helpers/media.ts'
import { until } from '../helpers/until.ts'
import { uploadsDb } from '../helpers/uploads-db.ts'

/** A rig with a.jpg, whose service keeps the answer to a method back, so that another run comes between. */
async function slowRig(method: 'DELETE' | 'POST') {
  const clock = heldClock()
  const rig = await emulatedRig({ clock })
  const { control } = rig.emulator
  const uploads = uploadsDb(rig.home)
  await rig.write('a.jpg', jpegBytes(500))
  // With its hash, which is written last: then the run holds no database until it is answered.
  const sent = "SELECT * FROM item WHERE state = 'sending' AND sha256 IS NOT NULL"
  const upload = () => rig.fh(['upload', 'a.jpg', '--format', 'slug'])
  return {
    ...rig,
    written: uploads.text,
    slow: () => control.faults.add({ match: { method }, times: 1, action: { type: 'delay', ms: HELD_MS } }),
    answer: clock.release,
    /** Resolves once a run has noted that it has sent its file. */
    noted: () => until(() => uploads.rows(sent).length > 0),
    upload,
    /** Starts an upload, and resolves once it has found out that it has to wait. */
    async waitingUpload() {
      const waiting = rig.start(['upload', 'a.jpg'], { stdin: '' })
      await waiting.printed('stderr', /waiting for process/)
      return waiting
    },
  }
}

test('a deletion that the service refuses leaves the link in use', async () => {
  const { fh, emulator, upload } = await slowRig('DELETE')
  const first = (await upload()).stdout
  const action = { type: 'status', status: 403, body: { error: 'suspended' } } as const
  emulator.control.faults.add({ match: { method: 'DELETE' }, times: 1, action })
  expect((await fh(['delete', '--yes', first.trim()])).code).toBe(7)
  expect((await upload()).stdout).toBe(first)
})

test('logout --forget leaves what a running upload has, says so, and forgets it later', async () => {
  const { fh, start, emulator, slow, answer, noted, waitingUpload, written } = await slowRig('POST')
  slow()
  const running = start(['upload', 'a.jpg'], { stdin: '' })
  await noted()
  expect(await fh(['logout', '--forget'])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('is still being sent'),
  })
  const { ended: beside } = await waitingUpload()
  answer()
  expect([(await running.ended).code, (await beside).code]).toEqual([0, 0])
  expect([emulator.control.health().uploads, (await beside).stderr]).toEqual([1, expect.stringContaining('skipped')])
  await fh(['logout', '--forget'])
  expect(written()).not.toContain('a.jpg')
})

test.skipIf(process.platform !== 'linux')(
  'a run that waits for the upload of a stopped process names the process, and how to go on',
  async () => {
    const { start, slow, answer, noted } = await slowRig('POST')
    slow()
    const stopped = start(['upload', 'a.jpg'], { stdin: '' })
    await noted()
    stopped.child.kill('SIGSTOP')
    answer()
    const waiting = start(['upload', 'a.jpg'], { stdin: '' })
    const { pid } = stopped.child
    const said = await waiting.printed('stderr', /lets it go on/)
    const how = `if it was stopped, kill -CONT ${pid} lets it go on`
    expect(said).toContain(`a.jpg: waiting for process ${pid}, which sends the same content; ${how}`)
    stopped.child.kill('SIGCONT')
    expect([(await stopped.ended).code, (await waiting.ended).code]).toEqual([0, 0])
  },
)
