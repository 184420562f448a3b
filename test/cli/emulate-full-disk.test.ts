import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, type TestContext, test } from 'vitest'
import type { Upload } from '../../src/protocol/resources.ts'
import { jpegBytes } from '../helpers/media.ts'
import { createRig, type Rig } from '../helpers/rig.ts'
import { startEmulator } from '../helpers/running-emulator.ts'

/** Of the system, where it has them. */
const programs = { mount: '/bin/mount', unmount: '/bin/umount' }

/** A small disk in a folder of the rig's; where none can be made, the output says that the test was left out. */
function smallDisk(rig: Rig, context: TestContext, size: string): string {
  const place = join(rig.folder, 'disk')
  mkdirSync(place)
  if (process.platform !== 'linux') context.skip('left out: a disk in memory is made on Linux only')
  try {
    execFileSync(programs.mount, ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', place], { stdio: 'ignore' })
  } catch {
    context.skip('left out: this user may not mount a disk in memory')
  }
  onTestFinished(() => {
    execFileSync(programs.unmount, ['-l', place], { stdio: 'ignore' })
  })
  return place
}

test('on a full disk the emulator still serves reads and fails uploads with the reason; once there is room it stores again', async (context) => {
  const rig = await createRig()
  const disk = smallDisk(rig, context, '8m')
  const flags = ['--data', join(disk, 'data')]
  const filler = join(disk, 'filler')
  writeFileSync(filler, Buffer.alloc(1_500_000, 7))
  const { ready, call, upload, stop } = await startEmulator(rig, flags)
  const kept: Upload[] = []
  // Less and less, until next to nothing fits.
  for (const size of [700_000, 70_000, 7_000, 700]) {
    let answer = await upload(jpegBytes(size))
    for (; answer.status === 201; answer = await upload(jpegBytes(size))) kept.push(answer.upload)
    expect(answer.status).toBe(500)
  }
  expect(kept.length).toBeGreaterThan(3)
  const total = kept.length
  for (let times = 0; times < 30; times += 1) expect(await (await call('/api/uploads')).json()).toMatchObject({ total })
  const [first, second] = kept
  expect((await (await fetch(String(second?.direct_url))).arrayBuffer()).byteLength).toBe(700_000)
  expect((await fetch(`${ready.control_url}/health`)).status).toBe(200)
  rmSync(filler)
  expect((await call(`/api/uploads/${first?.slug}`, { method: 'DELETE' })).status).toBe(200)
  expect((await upload(jpegBytes(10))).status).toBe(201)
  expect(await stop()).toMatchObject({ code: 0, stderr: expect.stringMatching(/no space left|disk is full/i) })

  const again = await startEmulator(rig, flags)
  expect(await (await again.call('/api/uploads')).json()).toMatchObject({ total })
  expect((await again.call(`/api/uploads/${first?.slug}`)).status).toBe(404)
})
