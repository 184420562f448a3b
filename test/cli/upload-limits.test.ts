import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes } from '../helpers/media.ts'

const picture = Buffer.from([0xff, 0xd8, 0xff, 0xe0, ...Buffer.alloc(2_044)])
const strange = Buffer.from([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])

test('the largest file to send is set by flag, variable and profile, in this order; none leaves it to the service', async () => {
  const { fh, write, emulator } = await emulatedRig({ maxFileSizeBytes: 1_048_576 })
  await write('photo.jpg', picture)
  const upload = (size: readonly string[], env = {}) =>
    fh(['upload', '--force', 'photo.jpg', ...size.flatMap((one) => ['--max-file-size', one])], { env })
  expect(await upload(['2047'])).toMatchObject({
    code: 2,
    stderr:
      'fh: photo.jpg: has 2,048 bytes, more than the limit of 2,047 bytes\n' +
      '  If the service accepts larger files: --max-file-size SIZE, or none\n',
  })
  await fh(['config', 'set', 'max_file_size', '1KB'])
  const env = { FH_MAX_FILE_SIZE: '4KB' }
  const ended = [await upload([]), await upload([], env), await upload(['1KB'], env), await upload(['none'])]
  expect(ended.map(({ code }) => code)).toEqual([2, 0, 2, 0])
  expect(emulator.control.requests.list({ method: 'POST' }).requests).toHaveLength(2)
  expect((await upload(['1e999'])).stderr).toMatch(/^fh: --max-file-size: .* is not a file size: write 200MB/)
})

test('a file of an unknown type is sent only with --any-type, also from a pipe, and the service decides', async () => {
  const { fh, write, emulator } = await emulatedRig()
  await write('strange.raw', strange)
  expect((await fh(['upload', 'strange.raw'])).stderr).toMatch(/^fh: strange\.raw: is of no known type/)
  expect(emulator.control.requests.list({ method: 'POST' }).requests).toEqual([])
  expect((await fh(['upload', '-n', '--any-type', 'strange.raw'])).code).toBe(0)
  const judged = [
    await fh(['upload', '--any-type', '--json', 'strange.raw']),
    await fh(['upload', '--any-type', '--json', '-', '--name', 'pipe.raw'], { stdin: strange }),
  ]
  const refused = [2, [{ error: { http_status: 422 } }]]
  expect(judged.map(({ code, stdout }) => [code, JSON.parse(stdout)])).toMatchObject([refused, refused])
})

test('--bwlimit holds all uploads of a run together to a rate, and a short --timeout takes none of its pauses for a dead connection', async () => {
  const { fh, write } = await emulatedRig()
  for (const name of ['a.jpg', 'b.jpg']) await write(name, Buffer.concat([jpegBytes(20_000), Buffer.from(name)]))
  const startedAt = performance.now()
  const { code, stderr } = await fh(['upload', 'a.jpg', 'b.jpg', '--bwlimit', '50k', '--timeout', '300ms'])
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('fh:')])
  expect(performance.now() - startedAt).toBeGreaterThan(40_000 / 51.2)
})

test('The plan counts --bwlimit', async () => {
  const { fh, write } = await emulatedRig()
  await write('a.jpg', jpegBytes(100_000))
  const { stdout } = await fh(['upload', '-n', 'a.jpg', '--bwlimit', '1000', '--json'])
  const { bytes_per_second, parts, done_at } = JSON.parse(stdout)
  expect(bytes_per_second).toBe(1_000)
  expect(Date.parse(done_at) - Date.parse(parts[0].starts_at)).toBe(100_000)
})
