import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { mediaPath, uploadObject } from '../helpers/media.ts'
import { createRig, jsonLines, type Rig } from '../helpers/rig.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'

/** Programs of these names, found before the machine's own, and what they do, on a display of X. */
async function withPrograms(programs: Readonly<Record<string, string>>, given?: Rig) {
  const rig = given ?? (await emulatedRig())
  for (const [name, script] of Object.entries(programs)) {
    await rig.write(`bin/${name}`, `#!/bin/sh\n${script}\n`)
    await chmod(join(rig.folder, 'bin', name), 0o755)
  }
  const env = { PATH: `${join(rig.folder, 'bin')}:${process.env['PATH']}`, DISPLAY: ':9' }
  return { ...rig, env, read: (name: string) => readFile(join(rig.folder, name), 'utf8') }
}

/** `fh show --open` of an upload with this URL. */
async function opened(url: string) {
  const server = await scriptedServer(answer(200, { upload: { ...uploadObject, url } }))
  const rig = await createRig({ service: server })
  const { env, read } = await withPrograms({ 'xdg-open': 'printf "%s\\n" "$@" > opened' }, rig)
  const ended = await rig.program(['show', '--open', 'a1B2c3D4e5'], { env })
  return { ...ended, opened: () => read('opened').catch(() => undefined) }
}

const photos = ['photo.jpg', 'picture.png'].map(mediaPath)

describe.skipIf(process.platform !== 'linux')('upload --copy', () => {
  test('--copy copies the printed links, one per line in the order given', async () => {
    const { fh, env, read } = await withPrograms({ xclip: 'echo "$@" > arguments; cat > clipboard' })
    const { code, stdout, stderr } = await fh(['upload', '--copy', '--format', 'markdown', ...photos], { env })
    expect([code, stdout]).toEqual([0, `${await read('clipboard')}\n`])
    expect(await read('arguments')).toBe('-selection clipboard\n')
    expect(stderr).toContain('Copied 2 links to the clipboard\n')
  })

  test('--copy tries the next clipboard program if one fails', async () => {
    const programs = { 'wl-copy': 'exit 1', xclip: 'exit 1', xsel: 'cat > clipboard' }
    const { fh, env, read } = await withPrograms(programs)
    const { stdout } = await fh(['upload', '--copy', ...photos], { env: { ...env, WAYLAND_DISPLAY: 'wayland-9' } })
    expect(`${await read('clipboard')}\n`).toBe(stdout)
  })

  test('a failed --copy is a warning, and the upload succeeds', async () => {
    const { fh, env } = await withPrograms({ xclip: 'exit 3', xsel: 'exit 4' })
    const { code, stdout, stderr } = await fh(['upload', '--copy', ...photos], { env })
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^http/)])
    expect(stderr).toContain(
      'fh: warning: The links were not copied: no program for the clipboard worked; wl-clipboard,',
    )
    const json = await fh(['upload', '--copy', '--json', ...photos])
    const warning = {
      type: 'warning',
      message: expect.stringMatching(/no program for the clipboard worked; wl-clipboard, /),
    }
    expect([json.code, jsonLines(json.stderr)]).toMatchObject([0, [warning]])
  })

  test('--copy leaves the clipboard unchanged if nothing was uploaded', async () => {
    const { fh, env, read } = await withPrograms({ xclip: 'cat > clipboard' })
    expect((await fh(['upload', '--copy', 'gone.jpg'], { env })).code).toBe(2)
    await expect(read('clipboard')).rejects.toThrow('ENOENT')
  })
})

describe.skipIf(process.platform !== 'linux')('--open', () => {
  test('--open opens the page of an upload, at most the first five, and that of fh show', async () => {
    const { program, env, read } = await withPrograms({ 'xdg-open': 'echo "$# $1" >> opened' })
    const names = ['photo.jpg', 'picture.png', 'animation.gif', 'picture.webp', 'clip.mp4', 'clip.webm', 'clip.mov']
    const { stdout } = await program(['upload', '--open', ...names.map(mediaPath)], { env })
    const pages = stdout.split('\n').map((page) => `1 ${page}`)
    // fh does not wait for what it has opened.
    const opened = async () => (await read('opened').catch(() => '')).trimEnd().split('\n').sort()
    await expect.poll(opened).toEqual(pages.slice(0, 5).sort())
    expect((await program(['show', '--open', stdout.split('\n')[6] ?? ''], { env })).code).toBe(0)
    await expect.poll(opened).toEqual([...pages.slice(0, 5), pages[6]].sort())
  })

  test('a page that no program can open is a warning', async () => {
    const { program } = await emulatedRig()
    const ended = await program(['upload', '--open', mediaPath('photo.jpg')], { env: { PATH: '/nowhere' } })
    const stderr = expect.stringMatching(/fh: warning: http.* was not opened: xdg-open is not installed\n/)
    expect(ended).toMatchObject({ code: 0, stderr })
  })

  test.each(['file:///x', 'javascript:alert(1)', '--help', ''])('--open opens no address like %j', async (url) => {
    const stderr = expect.stringContaining('was not opened: it is not a web address')
    const ended = await opened(url)
    expect([ended, await ended.opened()]).toMatchObject([{ code: 0, stderr }, undefined])
  })

  test('--open passes a URL as one encoded argument', async () => {
    const ended = await opened('http://h/i/a;touch x$(id)`id` "b"')
    await expect.poll(ended.opened).toBe('http://h/i/a;touch%20x$(id)%60id%60%20%22b%22\n')
  })
})
