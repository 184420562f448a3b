import { existsSync, mkdirSync, rmSync, truncateSync } from 'node:fs'
import { readdir, readFile, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { jpegBytes } from '../helpers/media.ts'
import { createRig, fhCommand } from '../helpers/rig.ts'
import { runningEmulator, startEmulator } from '../helpers/running-emulator.ts'
import { filesIn } from '../helpers/temporary-folder.ts'

const seed = {
  accounts: [{ api_key: 'seed-key', uploads: [{ file: 'media/a.jpg', slug: 'seeded' }, { count: 2 }] }],
}

async function seededRig() {
  const rig = await createRig()
  await rig.write('seeds/media/a.jpg', jpegBytes(2_000))
  await rig.write('seeds/seed.json', JSON.stringify(seed))
  const state = join(rig.folder, 'state.json')
  const slugs = async () => {
    const { records } = JSON.parse(await readFile(state, 'utf8'))
    return records.uploads.map(({ slug }: { slug: string }) => slug)
  }
  const emulate = (flags: readonly string[], command: readonly string[]) =>
    rig.program(['emulate', '-q', ...flags, '--', ...command])
  return { ...rig, emulate, state, slugs }
}

test('emulate starts from a seed file, and exports its state, readable only by the owner, after the command', async () => {
  const rig = await seededRig()
  const flags = ['--seed', 'seeds/seed.json', '--export', 'state.json']
  const { code, stdout, stderr } = await rig.emulate(flags, [...fhCommand, 'show', 'seeded', '--json'])
  expect([code, stderr]).toEqual([0, ''])
  expect(JSON.parse(stdout)).toMatchObject({ slug: 'seeded', size: 2_000 })
  expect(await rig.slugs()).toContain('seeded')
  expect((await stat(rig.state)).mode & 0o777).toBe(0o600)
  expect(await readdir(rig.folder)).toEqual(['seeds', 'state.json'])
})

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('emulate writes its state on %s, sent twice', async (signal) => {
  const rig = await seededRig()
  const { running, ready, baseUrl } = await startEmulator(rig, ['--seed', 'seeds/seed.json', '--export', 'state.json'])
  await fetch(`${baseUrl}/api/uploads/seeded`, { method: 'DELETE', headers: { 'X-Api-Key': ready.api_key } })
  running.child.kill(signal)
  running.child.kill(signal)
  expect((await running.ended).code).toBe(0)
  const slugs = await rig.slugs()
  expect([slugs.length, slugs.includes('seeded')]).toEqual([2, false])
})

test('emulate exports its state, where a link leads, even if the command fails, is killed, not found or no program, and has its exit code', async () => {
  const rig = await seededRig()
  await symlink('state.json', join(rig.folder, 'link.json'))
  const codes: (number | null)[] = []
  for (const command of [['sh', '-c', 'exit 7'], ['sh', '-c', 'kill -TERM $$'], ['no-command'], ['./state.json']]) {
    await rig.write('state.json', 'old')
    codes.push((await rig.emulate(['--export', 'link.json'], command)).code)
    expect(await rig.slugs()).toEqual([])
  }
  expect(codes).toEqual([7, 143, 127, 126])
})

test('a killed emulate leaves an existing state file unchanged', async () => {
  const rig = await seededRig()
  await rig.write('state.json', 'old')
  const { running } = await startEmulator(rig, ['--export', 'state.json'])
  running.child.kill('SIGKILL')
  await running.ended
  expect(await readFile(rig.state, 'utf8')).toBe('old')
  expect(await readdir(rig.folder)).toEqual(['seeds', 'state.json'])
})

test.each([
  [0, 1],
  [7, 7],
])('a failed export after a command that ends with %d ends with %d', async (code, kept) => {
  const rig = await seededRig()
  await rig.write('out/keep', '')
  const ended = await rig.emulate(['--export', 'out/state.json'], ['sh', '-c', `rm -r out; exit ${code}`])
  const stderr = expect.stringContaining('--export out/state.json cannot be written: there is no such file or folder')
  expect(ended).toMatchObject({ code: kept, stderr })
})

test('emulate writes the requests of its run as an HTTP archive, and refuses a place that it cannot write to first', async () => {
  const rig = await seededRig()
  const { code } = await rig.emulate(['--har', 'run.har'], [...fhCommand, 'list'])
  const { log } = JSON.parse(await readFile(join(rig.folder, 'run.har'), 'utf8'))
  expect([code, log.version, log.entries[0].request.method]).toEqual([0, '1.2', 'GET'])
  expect(JSON.stringify(log)).toContain('/api/uploads')
  const refused = await rig.emulate(['--har', 'gone/run.har'], ['true'])
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--har gone/run.har cannot be written')])
})

/** The path of the one file of an upload. */
const blobPath = (folder: string) => filesIn(join(folder, 'data', 'blobs'))[0] ?? ''

test('fh emulate breaks the connection of a file that is too short, and --export names it, writes nothing and ends with 1', {
  timeout: 30_000,
}, async () => {
  const { rig, upload, stop } = await runningEmulator('--data', 'data', '--export', 'state.json')
  const damaged = (await upload(jpegBytes(5_000))).upload
  const path = blobPath(rig.folder)
  truncateSync(path, 1_000)
  await expect(fetch(damaged.direct_url).then((answer) => answer.arrayBuffer())).rejects.toThrow()
  const { code, stderr } = await stop()
  expect(code).toBe(1)
  expect(stderr).toContain(`The file of the upload ${damaged.slug} cannot be read: 4000 bytes of it are missing. Put`)
  expect(stderr).toContain(`The files of upload ${damaged.slug} cannot be read: it has 1000 bytes instead of 5000`)
  expect(existsSync(join(rig.folder, 'state.json'))).toBe(false)
})

test('fh emulate says which file of a deleted upload it cannot remove', async () => {
  const { rig, upload, call, running } = await runningEmulator('--data', 'data')
  const { slug } = (await upload(jpegBytes(5_000))).upload
  const path = blobPath(rig.folder)
  rmSync(path)
  mkdirSync(path)
  await call(`/api/uploads/${slug}`, { method: 'DELETE' })
  const told = await running.printed('stderr', /cannot be removed.*\n/)
  expect(told).toMatch(/: \/.*, the file of a deleted upload, cannot be removed: .*The next start removes it/)
})
