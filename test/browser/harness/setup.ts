import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chromium, type LaunchOptions } from 'playwright-core'
import type { TestProject } from 'vitest/node'

/** How to start a Chromium that works on this machine. */
type Started = Pick<LaunchOptions, 'executablePath' | 'channel' | 'env'>

declare module 'vitest' {
  export interface ProvidedContext {
    /** Null if this machine has no Chromium. */
    readonly chromium: Started | null
  }
}

/** Finds a Chromium once for all browser tests; Vitest calls it only where one of them runs. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { chromium: found, remove } = await findChromium()
  project.provide('chromium', found)
  return remove
}

/** A Chromium that starts, null without one; `remove` takes away what was unpacked for it. */
export async function findChromium() {
  const folder = await mkdtemp(join(tmpdir(), 'fh-chromium-'))
  const named = process.env['TEST_CHROMIUM']
  const packaged = process.platform === 'linux' && process.arch === 'x64'
  const all = named ? [{ executablePath: named }] : [...(packaged ? await ofPackage(folder) : []), ...installed]
  let found: Started | null = null
  for (const each of all) if (found === null && (await starts(each))) found = each
  if (named && found === null) throw new Error(`TEST_CHROMIUM names ${named}, which does not start`)
  return { chromium: found, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }) }
}

const installed: readonly Started[] = [
  { channel: 'chrome' },
  ...['/usr/bin/chromium', '/usr/bin/chromium-browser', '/snap/bin/chromium'].map((path) => ({ executablePath: path })),
  { channel: 'msedge' },
]

/** With the shared libraries of this machine, else with those that the package has for machines without. */
async function ofPackage(folder: string): Promise<readonly Started[]> {
  // On such a machine the package unpacks the libraries too.
  const lambda = { AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' }
  const script = join(import.meta.dirname, 'unpack.mjs')
  const unpacking = { env: { PATH: process.env['PATH'], TMPDIR: folder, ...lambda }, timeout: 60_000 }
  const { stdout: executablePath } = await promisify(execFile)(process.execPath, [script], unpacking)
  const fonts = join(folder, 'fonts.conf')
  await writeFile(fonts, fontsOf(folder))
  const given = Object.entries(process.env).flatMap(([name, value]) => (value ? [[name, value] as const] : []))
  const env = { ...Object.fromEntries(given), FONTCONFIG_FILE: fonts }
  return [
    { executablePath, env },
    { executablePath, env: { ...env, LD_LIBRARY_PATH: join(folder, 'al2023/lib') } },
  ]
}

/** The machine's fonts and that of the package, for machines without fonts. */
const fontsOf = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${folder}/fonts/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`

const starts = async (each: Started) =>
  chromium.launch({ ...each, timeout: 60_000 }).then(
    (browser) => browser.close().then(() => true),
    () => false,
  )
