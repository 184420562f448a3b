import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chromium, type LaunchOptions } from 'playwright-core'

/** How to start a Chromium that works on this machine. */
export type Started = Pick<LaunchOptions, 'executablePath' | 'channel' | 'env'>

/** Names a Chromium to use instead of that of the package. */
const variable = 'TEST_CHROMIUM'

/**
 * Finds a Chromium that starts: the one that `TEST_CHROMIUM` names, else that of the package `@sparticuz/chromium` on Linux
 * x64, else an installed one.
 *
 * @param folder gets the files of the package
 * @returns undefined if this machine has none
 * @throws Error if the one that `TEST_CHROMIUM` names does not start
 */
export async function workingChromium(folder: string): Promise<Started | undefined> {
  const executablePath = process.env[variable]
  if (executablePath === undefined) {
    const packaged = process.platform === 'linux' && process.arch === 'x64' ? await ofPackage(folder) : []
    return firstThatStarts([...packaged, ...installed()])
  }
  const named = await firstThatStarts([{ executablePath }])
  if (named === undefined) throw new Error(`${variable} names ${executablePath}, which does not start`)
  return named
}

/** An empty folder, removed by the returned function. */
export async function ownFolder(): Promise<{ readonly folder: string; readonly remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'fh-chromium-'))
  return { folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }) }
}

/** With the shared libraries of this machine, else with those that the package has for machines without. */
async function ofPackage(folder: string): Promise<readonly Started[]> {
  // On such a machine the package unpacks the libraries too.
  const lambda = { AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' }
  const script = join(import.meta.dirname, 'unpack.mjs')
  const unpacking = { env: { PATH: process.env['PATH'], TMPDIR: folder, ...lambda }, timeout: 60_000 }
  const { stdout: executablePath } = await promisify(execFile)(process.execPath, [script], unpacking)
  const fonts = join(folder, 'fonts.conf')
  await writeFile(fonts, fontsOf(folder))
  const env = { ...variables(), FONTCONFIG_FILE: fonts }
  return [
    { executablePath, env },
    { executablePath, env: { ...env, LD_LIBRARY_PATH: join(folder, 'al2023/lib') } },
  ]
}

/** The machine's fonts and that of the package, for machines without fonts. */
function fontsOf(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${folder}/fonts/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`
}

function variables(): Record<string, string> {
  return Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value ? [[name, value]] : [])))
}

function installed(): readonly Started[] {
  const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/snap/bin/chromium']
  const onLinux = process.platform === 'linux' ? places.map((executablePath) => ({ executablePath })) : []
  return [{ channel: 'chrome' }, ...onLinux, { channel: 'msedge' }]
}

async function firstThatStarts(all: readonly Started[]): Promise<Started | undefined> {
  for (const started of all) if (await starts(started)) return started
  return undefined
}

async function starts(started: Started): Promise<boolean> {
  try {
    const browser = await chromium.launch({ ...started, timeout: 60_000 })
    await browser.close()
    return true
  } catch {
    return false
  }
}
