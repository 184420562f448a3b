import { chmodSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { mediaPath } from '../helpers/media.ts'
import { createRig } from '../helpers/rig.ts'
import { startEmulator } from '../helpers/running-emulator.ts'
import { until } from '../helpers/until.ts'

const soon = ['--set', 'thumbnail_delay_ms=0']

test('SIGTERM while ffmpeg does not answer ends it and the emulator, and the next run has the upload', {
  timeout: 15_000,
}, async () => {
  const rig = await createRig()
  const place = join(rig.folder, 'bin', 'ffmpeg')
  await rig.write('bin/ffmpeg', '#!/bin/sh\necho $$ > "$(dirname "$0")/pid"\ntrap "" TERM\nexec sleep 60\n')
  chmodSync(place, 0o700)
  const env = { PATH: `${dirname(place)}:${process.env['PATH']}` }
  const { upload, stop } = await startEmulator(rig, ['--data', 'data', ...soon], { env })
  void upload(await readFile(mediaPath('clip.mp4')), 'clip.mp4').catch(() => {})
  const pid = async () => Number(await readFile(join(dirname(place), 'pid'), 'utf8').catch(() => ''))
  await until(async () => (await pid()) > 0)
  const ffmpeg = await pid()
  expect((await stop()).code).toBe(0)
  expect(() => process.kill(ffmpeg, 0)).toThrow('ESRCH')
  const again = await startEmulator(rig, ['--data', 'data'])
  expect(await (await again.call('/api/uploads')).json()).toMatchObject({ total: 1 })
})
