import { execFileSync } from 'node:child_process'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'

const picture = (number: number) => Buffer.from([0xff, 0xd8, 0xff, number])

/** A rig with these files in its folder. `uploads` runs `fh upload`, and counts the links that it prints. */
async function rigWith(files: Readonly<Record<string, string | Buffer>>) {
  const rig = await emulatedRig()
  for (const [path, content] of Object.entries(files)) await rig.write(path, content)
  const upload = async (...args: readonly string[]) => {
    const ended = await rig.fh(['upload', ...args])
    return { ...ended, links: ended.stdout.match(/^http.*$/gm)?.length ?? 0 }
  }
  return { ...rig, upload }
}

describe.skipIf(process.platform === 'win32')('upload -r', () => {
  test('a folder upload leaves out pipes, and links to folders unless -L follows them, once each, which it says', async () => {
    const { upload, folder } = await rigWith({ 'in/a.jpg': picture(1), 'elsewhere/b.jpg': picture(2) })
    await symlink('../elsewhere', join(folder, 'in/link'))
    await mkdir(join(folder, 'in/deep'))
    await symlink('..', join(folder, 'in/deep/up'))
    execFileSync('mkfifo', [join(folder, 'in/pipe')])
    const left = await upload('-r', 'in', '--progress', 'none')
    expect([left.code, left.links]).toEqual([0, 1])
    expect(left.stderr).toContain(
      'in/deep/up is a link to a folder, which -L follows: left out\n' +
        'in/link is a link to a folder, which -L follows: left out\n',
    )
    const followed = await upload('-rL', 'in', '--progress', 'none')
    expect([followed.code, followed.links]).toEqual([0, 2])
  })

  test('a folder upload reports broken and circular links as missing files', async () => {
    const { upload, folder } = await rigWith({ 'in/a.jpg': picture(1) })
    await symlink('nowhere', join(folder, 'in/broken.jpg'))
    await symlink('circle.jpg', join(folder, 'in/circle.jpg'))
    const { code, stderr } = await upload('-r', 'in', '--progress', 'none')
    expect([code, stderr]).toEqual([3, expect.stringMatching(/in\/broken\.jpg: is a broken link/)])
    expect(stderr).toMatch(/in\/circle\.jpg: is a broken link/)
  })
})

describe('files of other types in a folder', () => {
  const text = 'text'
  const others = { 'd/a.txt': text, 'd/b.txt': text, 'd/deep/c.txt': text }

  test('are left out in one line, once each if two folders overlap, also by the plan', async () => {
    const { upload } = await rigWith({ ...others, 'd/huge.iso': Buffer.alloc(3_000) })
    const line = 'd/a.txt, d/b.txt, d/deep/c.txt left out: the service does not take them\n'
    const flags = ['-r', 'd', 'd/deep', '--exclude', '*.iso']
    expect(await upload(...flags)).toMatchObject({ code: 0, stdout: '', stderr: line })
    expect(await upload('-n', ...flags)).toMatchObject({ code: 0, stderr: line })
    const stderr = '4 files left out: the service does not take them\n'
    expect(await upload('-r', 'd', '--max-file-size', '2KB')).toMatchObject({ code: 0, stderr })
  })

  test('fail where they are named after their folder, listed or matched', async () => {
    const { upload } = await rigWith({ ...others, list: 'd/b.txt\n' })
    const { code, stdout } = await upload('-r', 'd', 'd/a.txt', 'd/deep/c*', '--files-from', 'list', '--json')
    const failed = ['d/a.txt', 'd/deep/c.txt', 'd/b.txt'].map((file) => ({ file }))
    expect([code, JSON.parse(stdout)]).toMatchObject([2, failed])
  })
})

test('upload --include and --exclude choose among the files of a folder', async () => {
  const { upload } = await rigWith({ 'in/a.jpg': picture(0), 'in/raw/a.jpg': picture(1), 'in/b.png': picture(2) })
  const flags = ['--include', '*.jpg', '--include', '*.jgp', '--exclude', 'raw/', '--progress', 'none']
  expect(await upload('-r', 'in', ...flags)).toMatchObject({ code: 0, links: 1 })
  const none = ['--include', '*.jgp', '--json']
  expect(await upload('-r', 'in', ...none)).toMatchObject({ code: 0, stdout: '[]\n' })
})

describe('pictures and videos in a folder, of types that the service does not take', () => {
  const heic = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0')
  const media = { 'd/1.HEIC': heic, 'd/2.heic': heic, 'd/film.mkv': 'text', 'd/README': 'text' }
  const warning =
    'fh: warning: 2 HEIC photos, 1 MKV video left out: the service does not take them\n' +
    '  Convert them; --any-type lets the service decide\n'

  test('are told by kind, under --quiet too, while other files are told apart from them', async () => {
    const { upload } = await rigWith(media)
    expect(await upload('-r', 'd', '-q')).toMatchObject({ code: 0, stdout: '', stderr: warning })
    expect((await upload('-r', 'd', '--exclude', '2*', '--exclude', '*.mkv')).stderr).toContain('\n  Convert it; ')
    expect((await upload('-r', 'd')).stderr).toBe(`d/README left out: the service does not take it\n${warning}`)
  })

  test('are not called damaged where they are whole, nor is a cut one to be converted', async () => {
    const whole = Buffer.from(`\0\0\0\x18ftypXAVC\0\0\x02\0mp42iso2${'\0'.repeat(99)}`)
    const { upload } = await rigWith({ 'd/C1.MP4': whole, 'd/C2.MP4': whole, 'cut/a.mov': 'text', 'cut/b.mp4': 'text' })
    expect((await upload('-r', 'd')).stderr).toBe(
      'fh: warning: 2 XAVC videos left out: the service does not take them\n' +
        '  Convert them; --any-type lets the service decide\n',
    )
    expect((await upload('-r', 'cut')).stderr).toBe(
      'fh: warning: 2 damaged videos left out: the service does not take them\n' +
        '  Copy them again from the original; --any-type lets the service decide\n',
    )
    const stderr = expect.stringContaining('d/C1.MP4: is of a type that is not accepted (XAVC video)')
    expect(await upload('d/C1.MP4')).toMatchObject({ code: 2, stderr })
  })

  test('are named under --verbose and by the plan', async () => {
    const { upload, write } = await rigWith(media)
    expect((await upload('-r', 'd', '-v')).stderr).toContain(
      'left out d/1.HEIC (HEIC photo)\nleft out d/2.heic (HEIC photo)\nleft out d/film.mkv (MKV video)\n',
    )
    await write('d/a.jpg', picture(1))
    const { stdout } = await upload('-r', 'd', '-n')
    expect(stdout).toMatch(/^d\/a\.jpg +4 B +image\/jpeg\nd\/1\.HEIC +16 B +left out: not accepted\n/)
    expect(stdout).toContain('\n1 file, 4 B, 10 units\n')
  })

  test('have records at the end, none if they are named or of any type', async () => {
    const { upload } = await rigWith({ ...media, 'd/z.jpg': picture(1) })
    const records = async (...args: readonly string[]) =>
      JSON.parse((await upload('--json', '--fields', 'file,status', '-r', 'd', ...args)).stdout)
    const leftOut = ['1.HEIC', '2.heic', 'film.mkv'].map((name) => ({ file: `d/${name}`, status: 'left_out' }))
    expect(await records()).toEqual([{ file: 'd/z.jpg', status: 'uploaded' }, ...leftOut])
    const named = await records('d/film.mkv')
    expect(named.slice(1)).toEqual([{ file: 'd/film.mkv', status: 'failed' }, ...leftOut.slice(0, 2)])
    expect(JSON.stringify(await records('--any-type'))).not.toContain('left_out')
  })
})
