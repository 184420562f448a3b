import { execFileSync } from 'node:child_process'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'

const picture = (number: number) => Buffer.from([0xff, 0xd8, 0xff, number])

/** A folder with a file, a link to another folder, one back up, a pipe, and a link that leads nowhere. */
async function rigWithLinks() {
  const rig = await emulatedRig()
  const at = (path: string) => join(rig.folder, path)
  await rig.write('in/a.jpg', picture(1))
  await rig.write('elsewhere/b.jpg', picture(2))
  await symlink('../elsewhere', at('in/link'))
  await mkdir(at('in/deep'))
  await symlink('..', at('in/deep/up'))
  execFileSync('mkfifo', [at('in/pipe')])
  return { ...rig, at }
}

describe.skipIf(process.platform === 'win32')('upload -r', () => {
  test('a folder upload names what it leaves out: links to folders, pipes', async () => {
    const { fh } = await rigWithLinks()
    const { code, stdout, stderr } = await fh(['upload', '-r', 'in', '--progress', 'none'])
    expect([code, stdout.trimEnd().split('\n').length]).toEqual([0, 1])
    expect(stderr).toContain(
      'in/deep/up is a link to a folder, which -L follows: left out\n' +
        'in/link is a link to a folder, which -L follows: left out\n' +
        'in/pipe is a pipe: left out\n',
    )
  })

  test('a folder upload reports broken and circular links as missing files', async () => {
    const { fh, at } = await rigWithLinks()
    await symlink('nowhere', at('in/broken.jpg'))
    await symlink('circle.jpg', at('in/circle.jpg'))
    const { code, stderr } = await fh(['upload', '-r', 'in', '--progress', 'none'])
    expect([code, stderr]).toEqual([3, expect.stringMatching(/in\/broken\.jpg: is a broken link/)])
    expect(stderr).toMatch(/in\/circle\.jpg: is a link that leads back to itself/)
  })

  test('-L follows links to folders, and visits each folder once', async () => {
    const { fh } = await rigWithLinks()
    const { code, stdout, stderr } = await fh(['upload', '-rL', 'in', '--progress', 'none'])
    expect([code, stdout.trimEnd().split('\n').length]).toEqual([0, 2])
    expect(stderr).toContain('in/deep/up leads to a folder that is already included: left out\n')
  })
})

describe('files of other types in a folder', () => {
  test('are left out in one line, once each if two folders overlap, also by the plan', async () => {
    const { fh, write } = await emulatedRig()
    for (const path of ['a.txt', 'b.txt', 'deep/c.txt']) await write(`d/${path}`, 'text')
    await write('d/huge.iso', Buffer.alloc(3_000))
    const line = 'd/a.txt, d/b.txt, d/deep/c.txt are of no accepted type: left out\n'
    const flags = ['-r', 'd', 'd/deep', '--exclude', '*.iso']
    expect(await fh(['upload', ...flags])).toMatchObject({ code: 0, stdout: '', stderr: line })
    expect(await fh(['upload', '-n', ...flags])).toMatchObject({ code: 0, stderr: line })
    const all = await fh(['upload', '-r', 'd', '--max-file-size', '2KB'])
    expect([all.code, all.stderr]).toEqual([0, '4 files are of no accepted type: left out\n'])
  })

  test('fail where they are named after their folder, listed or matched', async () => {
    const { fh, write } = await emulatedRig()
    for (const name of ['a', 'b', 'c']) await write(`d/${name}.txt`, 'text')
    await write('list', 'd/b.txt\n')
    const { code, stdout } = await fh(['upload', '-r', 'd', 'd/a.txt', 'd/c*', '--files-from', 'list', '--json'])
    const records: { readonly file: string }[] = JSON.parse(stdout)
    expect([code, records.map(({ file }) => file)]).toEqual([2, ['d/a.txt', 'd/c.txt', 'd/b.txt']])
  })
})

describe('upload --include and --exclude', () => {
  test('choose among the files of a folder, and a glob that matches none is named', async () => {
    const { fh, write } = await emulatedRig()
    for (const [index, path] of ['in/a.jpg', 'in/raw/a.jpg', 'in/b.png'].entries()) await write(path, picture(index))
    const flags = ['--include', '*.jpg', '--include', '*.jgp', '--exclude', 'raw/', '--progress', 'none']
    const { code, stdout, stderr } = await fh(['upload', '-r', 'in', ...flags])
    expect([code, stdout.trimEnd().split('\n').length]).toEqual([0, 1])
    expect(stderr).toContain("fh: warning: --include '*.jgp' matches no file")
    const none = await fh(['upload', '-r', 'in', '--include', '*.jgp', '--error-on-no-transfer', '--json'])
    expect([none.code, JSON.parse(none.stdout)]).toEqual([9, []])
  })

  test.each([
    [['upload', 'a.jpg', '--exclude', '*.png'], '--exclude needs a folder or a pattern to choose from'],
    [['upload', '-r', '.', '--include', '{a'], '--include "{a": the brace { is not closed'],
  ])('%j is refused before anything is sent', async (args, message) => {
    const { fh } = await emulatedRig()
    expect(await fh(args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) })
  })
})

describe('pictures and videos in a folder, of types that the service does not take', () => {
  const heic = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0')

  async function rigWithMedia() {
    const rig = await emulatedRig()
    for (const path of ['d/1.HEIC', 'd/2.heic']) await rig.write(path, heic)
    for (const path of ['d/film.mkv', 'd/README']) await rig.write(path, 'text')
    return rig
  }
  const warning = 'fh: warning: 2 HEIC photos, 1 MKV video left out: the service does not take them\n'
  const hint = '  Convert them, or let the service decide with --any-type\n'

  test('are told by kind, under --quiet too, while other files are told apart from them', async () => {
    const { fh } = await rigWithMedia()
    expect(await fh(['upload', '-r', 'd', '-q'])).toMatchObject({ code: 0, stdout: '', stderr: warning + hint })
    const other = 'd/README is of no accepted type: left out\n'
    expect((await fh(['upload', '-r', 'd'])).stderr).toBe(other + warning + hint)
    expect((await fh(['upload', '-r', 'd', '--error-on-no-transfer'])).code).toBe(9)
  })

  test('are named under --verbose and by the plan', async () => {
    const { fh, write } = await rigWithMedia()
    expect((await fh(['upload', '-r', 'd', '-v'])).stderr).toContain(
      'left out d/1.HEIC (HEIC photo)\nleft out d/2.heic (HEIC photo)\nleft out d/film.mkv (MKV video)\n',
    )
    await write('d/a.jpg', picture(1))
    const { stdout } = await fh(['upload', '-r', 'd', '-n'])
    expect(stdout).toMatch(/^d\/a\.jpg +4 B +image\/jpeg\nd\/1\.HEIC +16 B +left out: not accepted\n/)
    expect(stdout).toContain('\n1 file, 4 B, 10 units\n')
  })

  test('have records at the end, none if they are named or of any type', async () => {
    const { fh, write } = await rigWithMedia()
    await write('d/z.jpg', picture(1))
    const records = async (...args: string[]) =>
      JSON.parse((await fh(['upload', '--json', '--fields', 'file,status', ...args])).stdout)
    const leftOut = ['1.HEIC', '2.heic', 'film.mkv'].map((name) => ({ file: `d/${name}`, status: 'left_out' }))
    expect(await records('-r', 'd')).toEqual([{ file: 'd/z.jpg', status: 'uploaded' }, ...leftOut])
    const named = await records('-r', 'd', 'd/film.mkv')
    expect(named.slice(1)).toEqual([{ file: 'd/film.mkv', status: 'failed' }, ...leftOut.slice(0, 2)])
    expect(JSON.stringify(await records('-r', 'd', '--any-type'))).not.toContain('left_out')
  })
})
