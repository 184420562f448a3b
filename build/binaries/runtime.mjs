import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bunVersion, isWindows, targets } from './targets.mjs'

const kept = 'binaries/runtimes'

/**
 * The path of the runtime of a target, which npm downloads when it is first needed.
 * @throws Error if its tarball is not the one of the table
 */
export function runtimeOf(target) {
  const { runtime, integrity } = targets[target]
  const folder = join(kept, `${runtime}-${bunVersion}`)
  const program = join(folder, 'package/bin', isWindows(target) ? 'bun.exe' : 'bun')
  if (existsSync(program)) return program
  mkdirSync(kept, { recursive: true })
  const work = mkdtempSync(join(kept, 'new-'))
  try {
    const name = `@oven/bun-${runtime}@${bunVersion}`
    const options = ['pack', name, '--silent', '--pack-destination', work]
    const tarball = execFileSync('npm', options, { encoding: 'utf8', shell: process.platform === 'win32' }).trim()
    expectIntegrity(name, readFileSync(join(work, tarball)), integrity)
    execFileSync('tar', ['-xzf', tarball], { cwd: work })
    rmSync(folder, { recursive: true, force: true })
    renameSync(work, folder)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  return program
}

export function expectIntegrity(name, bytes, integrity) {
  const found = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  if (found === integrity) return
  throw new Error(`${name} is not what the table says: its integrity is ${found}, the table has ${integrity}`)
}
