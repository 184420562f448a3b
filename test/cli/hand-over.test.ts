import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { mediaPath, uploadObject } from '../helpers/media.ts'
import { createRig, jsonLines, type Rig } from '../helpers/rig.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'
import { openTerminal, terminalTest } from '../helpers/terminal.ts'

/** Programs of these names, found before the machine's own, and what they do. */
async function withPrograms(rig: Rig, programs: Readonly<Record<string, string>>) {
  for (const [name, script] of Object.entries(programs)) {
    await rig.write(`bin/${name}`, `#!/bin/sh\n${script}\n`)
    await chmod(join(rig.folder, 'bin', name), 0o755)
  }
  const env = { PATH: `${join(rig.folder, 'bin')}:${process.env['PATH']}` }
  return { env, read: (name: string) => readFile(join(rig.folder, name), 'utf8') }
}

const photos = ['photo.jpg', 'picture.png'].map(mediaPath)

describe.skipIf(process.platform !== 'linux')('upload --copy', () => {
  test('--copy copies the printed links, one per line in the order given', async () => {
    const rig = await emulatedRig()
    const { env, read } = await withPrograms(rig, { xclip: 'echo "$@" > arguments; cat > clipboard' })
    const args = ['upload', '--copy', '--format', 'markdown', ...photos]
    const { code, stdout, stderr } = await rig.fh(args, { env: { ...env, DISPLAY: ':9' } })
    expect([code, stdout]).toEqual([0, `${await read('clipboard')}\n`])
    expect(await read('arguments')).toBe('-selection clipboard\n')
    expect(stderr).toContain('Copied 2 links to the clipboard\n')
  })

  test('--copy tries the next clipboard program if one fails', async () => {
    const rig = await emulatedRig()
    const { env, read } = await withPrograms(rig, { 'wl-copy': 'exit 1', xclip: 'exit 1', xsel: 'cat > clipboard' })
    const displays = { WAYLAND_DISPLAY: 'wayland-9', DISPLAY: ':9' }
    const { stdout } = await rig.fh(['upload', '--copy', ...photos], { env: { ...env, ...displays } })
    expect(`${await read('clipboard')}\n`).toBe(stdout)
  })

  test('a failed --copy is a warning, and the upload succeeds', async () => {
    const rig = await emulatedRig()
    const { env } = await withPrograms(rig, { xclip: 'exit 3', xsel: 'exit 4' })
    const { code, stdout, stderr } = await rig.fh(['upload', '--copy', ...photos], { env: { ...env, DISPLAY: ':9' } })
    expect([code, stdout.split('\n')]).toEqual([0, expect.arrayContaining([expect.stringMatching(/^http/)])])
    expect(stderr).toContain('fh: warning: The links were not copied: xsel: ended with 4\n  Install')
    const json = await rig.fh(['upload', '--copy', '--json', ...photos])
    expect(json.code).toBe(0)
    expect(jsonLines(json.stderr)).toMatchObject([
      { type: 'warning', message: expect.stringMatching(/no clipboard found$/) },
    ])
  })

  test('--copy treats a folder with a program’s name in PATH as not installed', async () => {
    const rig = await emulatedRig()
    for (const name of ['xclip', 'xsel']) await rig.write(`bin/${name}/file`, '')
    const env = { PATH: join(rig.folder, 'bin'), DISPLAY: ':9' }
    const { stderr } = await rig.fh(['upload', '--copy', ...photos], { env })
    expect(stderr).toContain('fh: warning: The links were not copied: no clipboard found\n')
  })

  test('--copy leaves the clipboard unchanged if nothing was uploaded', async () => {
    const rig = await emulatedRig()
    const { env, read } = await withPrograms(rig, { xclip: 'cat > clipboard' })
    expect((await rig.fh(['upload', '--copy', 'gone.jpg'], { env: { ...env, DISPLAY: ':9' } })).code).toBe(2)
    await expect(read('clipboard')).rejects.toThrow('ENOENT')
  })

  terminalTest('--copy over SSH sends the links to the terminal', async () => {
    const rig = await emulatedRig()
    const args = ['upload', '--copy', '--format', 'slug', mediaPath('photo.jpg')]
    const terminal = openTerminal(rig, args, { env: { SSH_CONNECTION: '1.2.3.4 5 6.7.8.9 22' } })
    const { code, lines } = await terminal.ended
    expect(code).toBe(0)
    expect(lines.join('\n')).toContain("Sent 1 link to the terminal's clipboard")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
    const [, base64 = ''] = /\u001b\]52;c;([A-Za-z0-9+/=]+)\u0007/.exec(terminal.raw()) ?? []
    expect(lines).toContain(Buffer.from(base64, 'base64').toString())
  })
})

describe.skipIf(process.platform !== 'linux')('--open', () => {
  test('--open opens the page of an upload, and of fh show', async () => {
    const rig = await emulatedRig()
    const { env, read } = await withPrograms(rig, { 'xdg-open': 'echo "$# $1" >> opened' })
    const { stdout } = await rig.program(['upload', '--open', mediaPath('photo.jpg')], { env })
    expect(await read('opened')).toBe(`1 ${stdout}`)
    expect((await rig.program(['show', '--open', stdout.trim()], { env })).code).toBe(0)
    expect(await read('opened')).toBe(`1 ${stdout}1 ${stdout}`)
  })

  test('--open opens at most the first five pages', async () => {
    const rig = await emulatedRig()
    const { env, read } = await withPrograms(rig, { 'xdg-open': 'echo "$1" >> opened' })
    const names = ['photo.jpg', 'picture.png', 'animation.gif', 'picture.webp', 'clip.mp4', 'clip.webm', 'clip.mov']
    const { stdout, stderr } = await rig.program(['upload', '--open', ...names.map(mediaPath)], { env })
    expect(await read('opened')).toBe(`${stdout.split('\n').slice(0, 5).join('\n')}\n`)
    expect(stderr).toContain('Opened the first 5 pages; 2 not opened\n')
  })

  test('a page that cannot be opened is a warning', async () => {
    const rig = await emulatedRig()
    const { env } = await withPrograms(rig, { 'xdg-open': 'exit 3' })
    const { code, stderr } = await rig.fh(['upload', '--open', mediaPath('photo.jpg')], { env })
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /fh: warning: http\S+ was not opened: xdg-open failed with exit code 3\n {2}Open it yourself\n/,
    )
  })

  test.each(['file:///etc/passwd', 'javascript:alert(1)', '--help', 'http//x', ''])(
    '--open opens only web addresses, not %j',
    async (url) => {
      const server = await scriptedServer(answer(200, { upload: { ...uploadObject, url } }))
      const rig = await createRig({ service: server })
      const { env, read } = await withPrograms(rig, { 'xdg-open': 'echo "$1" >> opened' })
      const { code, stderr } = await rig.fh(['show', '--open', 'a1B2c3D4e5'], { env })
      expect([code, stderr]).toEqual([0, expect.stringContaining('was not opened: it is not a web address')])
      await expect(read('opened')).rejects.toThrow('ENOENT')
    },
  )

  test('--open passes a URL as one encoded argument', async () => {
    const url = 'http://h/i/a;touch x$(id)`id` "b"'
    const server = await scriptedServer(answer(200, { upload: { ...uploadObject, url } }))
    const rig = await createRig({ service: server })
    const { env, read } = await withPrograms(rig, { 'xdg-open': 'printf "%s\\n" "$@" > opened' })
    await rig.program(['show', '--open', 'a1B2c3D4e5'], { env })
    expect(await read('opened')).toBe('http://h/i/a;touch%20x$(id)%60id%60%20%22b%22\n')
  })
})
