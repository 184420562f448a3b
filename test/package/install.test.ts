import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ownTarget, targets } from '../../build/binaries/targets.mjs'
import { archiveOf } from '../../build/release/archive.mjs'
import { archiveName, recipes, releaseAddress } from '../../build/release/recipes.mjs'
import { softwareBill } from '../../build/release/sbom.mjs'
import { deadAddress } from '../helpers/dead-address.ts'
import { listening } from '../helpers/listening.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const archive = archiveName(ownTarget())
const sum = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const program = (version: string) => Buffer.from(`#!/bin/sh\n# reads FH_CONFIG_DIR\necho ${version}\n`)

/** The files of a release whose binary is a script. */
function release(version: string, bytes = program(version)): Record<string, Buffer> {
  const packed = archiveOf([{ name: 'fh', bytes, isProgram: true }])
  const sums = `${sum(packed)}  ${archive}\n${sum(bytes)}  fh-${ownTarget()}\n`
  return { [archive]: packed, SHA256SUMS: Buffer.from(sums) }
}

/** A page of releases, an empty home, and programs that stand in for those of the system. */
async function installer(files: Record<string, Buffer>, cut?: string) {
  const server = createServer(({ url = '' }, response) => {
    const [, name = ''] = /^\/(?:latest\/download|download\/v1\.0\.0)\/(.+)$/.exec(url) ?? []
    const bytes = files[name]
    if (bytes === undefined) return response.writeHead(404).end()
    response.writeHead(200, { 'Content-Length': bytes.length })
    if (name !== cut) return response.end(bytes)
    return response.write(bytes.subarray(0, 10), () => response.destroy())
  })
  const port = await listening(server)
  const [home, bin] = [temporaryFolder(), temporaryFolder()]
  const folder = join(home, '.local/bin')
  const base = { HOME: home, PATH: `${bin}:${process.env['PATH']}`, FH_RELEASE_URL: `http://127.0.0.1:${port}` }
  return {
    base,
    folder,
    left: async () => (existsSync(folder) ? await readdir(folder) : []),
    async put(path: string, text: string) {
      await mkdir(join(path, '..'), { recursive: true })
      await writeFile(path, text)
      await chmod(path, 0o755)
    },
    bin,
    async run(env: Record<string, string> = {}) {
      const running = promisify(execFile)('sh', ['install.sh'], { env: { ...base, ...env } })
      return await running.then(
        ({ stdout }) => ({ code: 0, text: stdout }),
        ({ code, stderr }) => ({ code, text: stderr as string }),
      )
    },
  }
}

describe.skipIf(process.platform === 'win32')('install.sh', () => {
  test('installs fh into an empty home, leaves the newest one alone, and replaces an older one', async () => {
    const files = release('1.0.0')
    const { folder, run, left } = await installer(files)
    const first = await run()
    expect(first).toMatchObject({ code: 0, text: expect.stringContaining(`Installed fh 1.0.0: ${folder}/fh`) })
    expect(first.text).toMatch(/checksum is right: \w{64}\n.* is not on the PATH\. Add it: export PATH=.*\nNext: fh l/s)
    expect((await run()).text).toContain('fh 1.0.0 is installed already')
    Object.assign(files, release('1.1.0'))
    const onPath = { PATH: `${folder}:${process.env['PATH']}` }
    expect((await run(onPath)).text).toMatch(/fh 1\.0\.0 became 1\.1\.0: .*\/fh\n$/)
    expect([await left(), readFileSync(join(folder, 'fh'))]).toEqual([['fh'], program('1.1.0')])
  })

  test('names another fh that comes first on the PATH, and replaces no other program', async () => {
    const { folder, run, put, bin, left } = await installer(release('1.0.0'))
    await put(join(bin, 'fh'), '#!/bin/sh\n')
    expect((await run({ FH_VERSION: 'v1.0.0' })).text).toContain(`Another fh comes first on the PATH: ${bin}/fh`)
    await put(join(folder, 'fh'), '#!/bin/sh\necho other\n')
    expect(await run()).toMatchObject({ code: 1, text: expect.stringContaining('/fh is another program') })
    expect([await left(), readFileSync(join(folder, 'fh'), 'utf8')]).toEqual([['fh'], '#!/bin/sh\necho other\n'])
  })

  const { [archive]: packed = Buffer.alloc(0), SHA256SUMS = Buffer.alloc(0) } = release('1.0.0')
  const broken = archiveOf([{ name: 'fh', bytes: Buffer.from('#!/bin/sh\necho no >&2; exit 1\n'), isProgram: true }])
  const brokenRelease = { SHA256SUMS: Buffer.from(`${sum(broken)}  ${archive}\n`), [archive]: broken }
  interface Bad {
    readonly files?: Record<string, Buffer>
    readonly cut?: string
    readonly env?: Record<string, string>
    readonly fakes?: Record<string, string>
  }
  test.each<[string, Bad, RegExp]>([
    ['another checksum', { files: { SHA256SUMS, [archive]: broken } }, /checksum is \w{64}, not \w{64}\n {2}Nothing/],
    ['no checksum', { files: { SHA256SUMS: Buffer.from('\n'), [archive]: packed } }, /has no checksum of fh-/],
    ['no list of checksums', { files: { [archive]: packed } }, /SHA256SUMS does not exist/],
    ['a download that breaks off', { cut: archive }, /The download of .* broke off\n {2}Nothing was changed/],
    ['a version that does not exist', { env: { FH_VERSION: '9.9.9' } }, /v9\.9\.9\/SHA256SUMS does not exist/],
    ['no network', { env: { FH_RELEASE_URL: 'http://127.0.0.1:1' } }, /cannot be reached\n {2}Check the connection/],
    ['a program that does not start', { files: brokenRelease }, /does not start .*: no/],
    ['an old glibc', { fakes: { getconf: 'echo glibc 2.12', ldd: 'echo GNU' } }, /needs glibc 2\.17 .* has 2\.12\n/],
    ['an unknown processor', { fakes: { uname: '[ $1 = -s ] && echo Linux || echo riscv64' } }, /binary .*riscv64\n/],
    ['a noexec folder', { fakes: { chmod: 'exit 0' } }, /cannot be started: its file system is mounted with noexec/],
    ['a folder that cannot be made', { env: { FH_INSTALL_DIR: '/dev/null/x' } }, /\/dev\/null\/x cannot be made\n/],
    ['a read-only folder', { fakes: { mktemp: 'exit 1' } }, /\.local\/bin cannot be written\n {2}Name another folder/],
  ])('%s ends it with 1 and a sentence of its own, and leaves the fh of before', async (_, bad, sentence) => {
    const { folder, run, put, bin, left } = await installer(bad.files ?? release('1.0.0'), bad.cut)
    await put(join(folder, 'fh'), program('0.9.0').toString())
    for (const [name, script] of Object.entries(bad.fakes ?? {})) await put(join(bin, name), `#!/bin/sh\n${script}\n`)
    expect(await run(bad.env)).toEqual({ code: 1, text: expect.stringMatching(sentence) })
    expect([await left(), readFileSync(join(folder, 'fh'))]).toEqual([['fh'], program('0.9.0')])
  })
})

describe.skipIf(spawnSync('jq', ['--version']).status !== 0)('the action', () => {
  test('installs fh, starts the emulator for later steps, and has links, JSON and Markdown as outputs', async () => {
    const script = `#!/bin/sh\n# FH_CONFIG_DIR\nexec "${process.execPath}" "${resolve('bin/fh.js')}" "$@"\n`
    const { base } = await installer(release('1.0.0', Buffer.from(script)))
    const folder = temporaryFolder()
    const at = (name: string) => join(folder, name)
    const files = {
      GITHUB_OUTPUT: at('output'),
      GITHUB_ENV: at('env'),
      GITHUB_PATH: at('path'),
      GITHUB_STEP_SUMMARY: at('summary'),
      RUNNER_TEMP: folder,
    }
    const port = new URL(await deadAddress()).port
    const runner = { ...base, ...files, RUNNER_OS: 'Linux', RUNNER_ARCH: 'X64', PORT: port, FLAGS: '--no-quota' }
    const text = (name: string) => readFileSync(at(name), 'utf8')
    const step = (word: string, env: Record<string, string> = {}) =>
      promisify(execFile)('bash', ['build/action/action.sh', word], { env: { ...runner, ...env } })
    await step('key')
    await step('install')
    await step('emulate')
    onTestFinished(() => void process.kill(Number(text('fh-emulate.pid'))))
    const said = [...text('env').matchAll(/^(FH_\w+)=(.*)$/gm)]
    const job = Object.fromEntries(said.map(([, name, value]) => [name, value]))
    const media = ['test/fixtures/media/photo.jpg', 'test/fixtures/media/clip.mp4']
    await mkdir(at('media/in'), { recursive: true })
    await writeFile(at('media/in/a.jpg'), Buffer.from([0xff, 0xd8, 0xff, 0xe0]))
    await writeFile(at('media/in/left.gif'), 'GIF89a;')
    // What a shell, a workflow command, a table or a link would take for its own.
    const hostile = `$(touch "${at('pwned')}")\`touch ${at('pwned')}\`';"*|[x](y)%0A::error::,z.jpg`
    const inputs = { RECURSIVE: 'true', INCLUDE: '*.{jpg,mp4}', MAX_WAIT: '2m', JOBS: '1' }
    const uploading = step('upload', { ...job, ...inputs, FILES: [...media, at('media'), hostile, ''].join('\n') })
    const { code, stdout } = await uploading.catch((error) => error)
    expect([code, existsSync(at('pwned'))]).toEqual([3, false])
    const escaped = hostile.replace('%', '%25').replaceAll(':', '%3A').replaceAll(',', '%2C')
    expect(stdout).toMatch(/^::error file=.*,title=fh upload::matches no file.*\n$/)
    expect(stdout).toContain(`file=${escaped},title`)
    const rows = text('summary').trim().split('\n').slice(2)
    expect(
      rows.map((row) =>
        row
          .replace(/(?<!\\)\|/g, '')
          .split('[')
          .at(-1),
      ),
    ).toEqual([
      ...Array(3).fill(expect.stringMatching(/^uploaded\]\(<http\S+>\)/)),
      expect.stringMatching(/failed: matches no file/),
    ])
    const outputs = Object.fromEntries(
      [...text('output').matchAll(/^([\w-]+)<<(\S+)\n([\s\S]*?)\n\2$/gm)].map(([, name, , value]) => [name, value]),
    )
    expect(text('path')).toBe(`${folder}/fh/bin\n`)
    expect(outputs).toMatchObject({
      key: expect.stringMatching(/^fh-Linux-X64-\d+-\d+$/),
      folder: `${folder}/fh/bin`,
      'base-url': `http://127.0.0.1:${port}`,
      'exit-code': '3',
      links: expect.stringMatching(/^http\S+\.jpg\nhttp\S+\.mp4\nhttp\S+\.jpg$/),
      markdown: expect.stringMatching(
        /^!\[photo\.jpg\]\(http\S+\.jpg\)\n\[clip\.mp4\]\(http\S+\/i\/\w+\)\n!\[a\.jpg\]\(http\S+\.jpg\)$/,
      ),
    })
    const unset = await step('upload', { FILES: 'a.jpg', BASE_URL: job['FH_BASE_URL'] ?? '', API_KEY: '' }).catch(
      (error) => error,
    )
    const missing = expect.stringMatching(
      /^::error title=fh upload::FH_API_KEY is set, but empty%0AIs the secret there/,
    )
    expect(unset).toMatchObject({ code: 4, stdout: missing })
    expect(JSON.parse(outputs['json'] ?? '')).toMatchObject(Array(3).fill({ error: null }).concat({ upload: null }))
  })
})

test('no script of the action contains an input, and each input reaches it as a variable', () => {
  const text = readFileSync('action.yml', 'utf8')
  const scripts = [...text.matchAll(/^ +run: (.*)$/gm)].map(([, script]) => script)
  expect(scripts).toEqual(
    ['key', 'install', 'emulate', 'upload'].map((word) => `'"$GITHUB_ACTION_PATH/build/action/action.sh" ${word}'`),
  )
  const [, inputs = ''] = /^inputs:\n([\s\S]*?)^outputs:/m.exec(text) ?? []
  for (const [, name] of inputs.matchAll(/^ {2}([\w-]+):$/gm)) expect(text).toMatch(`inputs.${name} `)
})

test('the recipes of package managers have the version, and the address and checksum of each archive they install', () => {
  const sums = Object.fromEntries(Object.keys(targets).map((target) => [target, sum(Buffer.from(target))]))
  const made = recipes({ version: '1.2.3', description: 'D', homepage: 'https://h/r#readme', sums })
  const of = (text: string) => Object.keys(targets).filter((target) => text.includes(sums[target] ?? ''))
  const unix = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']
  expect(Object.fromEntries(Object.entries(made).map(([file, text]) => [file, of(text)]))).toEqual({
    'fh.rb': unix,
    'fh.json': ['windows-x64'],
    PKGBUILD: unix.slice(0, 2),
    'fh.nix': unix,
  })
  for (const text of Object.values(made)) expect(text).toContain(`${releaseAddress}/download/v1.2.3/fh-`)
})

test('a release names each package that a binary contains, and publishes nothing from here', async () => {
  const licences = readFileSync('dist/cli/THIRD-PARTY-LICENCES.txt', 'utf8')
  const { components } = softwareBill({ version: '1.2.3', licences })
  expect(components).toHaveLength(licences.split('-'.repeat(80)).length + 1)
  expect(components.map(({ name }) => name)).toEqual(expect.arrayContaining(['bun', 'commander', 'form-data']))
  const run = promisify(execFile)(process.execPath, ['build/release/release.mjs'])
  await expect(run).rejects.toMatchObject({ stderr: expect.stringContaining('Only --dry-run works here') })
})

test.each(['install.sh', 'install.ps1', 'action.yml', 'build/action/action.sh', 'build/recipes/gitlab.yml'])(
  '%s has the address of the releases',
  (file) => {
    expect(readFileSync(file, 'utf8')).toContain(releaseAddress)
  },
)
