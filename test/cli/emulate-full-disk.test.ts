import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, type TestContext, test } from 'vitest'
import type { Upload } from '../../src/protocol/resources.ts'
import { jpegBytes } from '../helpers/media.ts'
import { createRig, type Rig } from '../helpers/rig.ts'
import { until } from '../helpers/until.ts'

/** Of the system, where it has them. */
const programs = { mount: '/bin/mount', unmount: '/bin/umount' }

/** A small disk in a folder of the rig's; where none can be made, the output says that the test was left out. */
function smallDisk(rig: Rig, context: TestContext, size = '8m'): string {
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

async function started(rig: Rig, data: string) {
  const running = rig.start(['emulate', '--json', '--port', '0', '--data', data, '--no-quota'])
  const ready = JSON.parse(await running.printed('stdout', /\n/))
  const call = async (method: string, path: string, body?: FormData) => {
    const init = { method, headers: { 'X-Api-Key': ready.api_key }, ...(body && { body }) }
    const response = await fetch(`${ready.base_url}${path}`, init)
    return {
      status: response.status,
      body: (await response.json()) as { readonly upload: Upload; readonly total: number },
    }
  }
  const upload = (size: number) => {
    const form = new FormData()
    form.append('file', new Blob([Uint8Array.from(jpegBytes(size))]), 'a.jpg')
    return call('POST', '/api/upload', form)
  }
  return { running, ready, call, upload }
}

test('on a full disk the emulator still serves reads, fails uploads with the reason, and a deletion makes room', async (context) => {
  const rig = await createRig()
  const disk = smallDisk(rig, context)
  const { running, ready, call, upload } = await started(rig, join(disk, 'data'))
  const kept: Upload[] = []
  // Less and less, until next to nothing fits. No other program writes: it could take what the emulator keeps for deletions.
  for (const size of [700_000, 70_000, 7_000, 700]) {
    let answer = await upload(size)
    for (; answer.status === 201; answer = await upload(size)) kept.push(answer.body.upload)
    expect(answer.status).toBe(500)
  }
  expect(kept.length).toBeGreaterThan(3)
  for (let times = 0; times < 30; times += 1) {
    expect(await call('GET', '/api/uploads')).toMatchObject({ status: 200, body: { total: kept.length } })
  }
  const [first, second] = kept
  expect((await (await fetch(String(second?.direct_url))).arrayBuffer()).byteLength).toBe(700_000)
  expect((await fetch(`${ready.control_url}/health`)).status).toBe(200)
  expect((await call('DELETE', `/api/uploads/${first?.slug}`)).status).toBe(200)
  await until(async () => (await upload(10)).status === 201)
  running.child.kill('SIGTERM')
  expect(await running.ended).toMatchObject({ code: 0, stderr: expect.stringMatching(/no space left|disk is full/i) })

  const again = await started(rig, join(disk, 'data'))
  expect((await again.call('GET', '/api/uploads')).body.total).toBe(kept.length)
  expect((await again.call('GET', `/api/uploads/${first?.slug}`)).status).toBe(404)
})

test('after eight uploads at a time have filled a disk of 6 MiB, each can be deleted', async (context) => {
  const rig = await createRig()
  const { call, upload } = await started(rig, join(smallDisk(rig, context, '6m'), 'data'))
  const kept: string[] = []
  for (let failures = 0; failures < 8; ) {
    const answers = await Promise.all(Array.from({ length: 8 }, () => upload(300_000)))
    const stored = answers.filter(({ status }) => status === 201)
    kept.push(...stored.map(({ body }) => body.upload.slug))
    failures = 8 - stored.length
  }
  expect(kept.length).toBeGreaterThan(8)
  for (const slug of kept) expect((await call('DELETE', `/api/uploads/${slug}`)).status).toBe(200)
  expect((await upload(300_000)).status).toBe(201)
})

test('starting the emulator on a full disk names the folder and the reason', async (context) => {
  const rig = await createRig()
  const disk = smallDisk(rig, context)
  fill(join(disk, 'others'))
  const { code, stdout, stderr } = await rig.fh(['emulate', '--port', '0', '--data', join(disk, 'data')])
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain(`fh: The folder ${join(disk, 'data')} cannot be used: `)
})

/** Writes until the disk takes nothing more. */
function fill(path: string): void {
  for (let size = 1_048_576; size >= 1; size = Math.floor(size / 4)) {
    for (;;) {
      try {
        writeFileSync(path, Buffer.alloc(size, 1), { flag: 'a' })
      } catch {
        break
      }
    }
  }
  expect(existsSync(path)).toBe(true)
}
