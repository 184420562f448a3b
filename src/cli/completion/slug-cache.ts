import { createHash, randomBytes } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPrivateFile } from '../../system/private-file.ts'
import { makeOwnFolder } from '../../system/private-folder.ts'
import { stateFolder } from '../../system/state-folder.ts'
import type { Environment, Settings } from '../config/settings.ts'

export interface Suggestion {
  readonly value: string
  /** Empty where there is nothing to say. */
  readonly description: string
}

/** What was seen of uploads: what to say of each, or null where it is gone. */
export type SeenSlugs = ReadonlyMap<string, string | null>

/** Long enough for an afternoon's work; what is older may be gone. */
const LIFETIME_MS = 4 * 3_600_000
const MOST_SLUGS = 500
const FILE = 'completion.json'

interface Entry {
  readonly slug: string
  readonly about: string
  /** Epoch milliseconds. */
  readonly at: number
}

type Cache = Readonly<Record<string, readonly Entry[]>>

/** The slugs lately seen of the account in use, so that completing them asks the service for nothing. */
export function recentSlugs(env: Environment, settings: Settings, now: number): readonly Suggestion[] {
  const entries = readCache(env)[accountHash(settings)] ?? []
  return alive(entries, now).map(({ slug, about }) => ({ value: slug, description: about }))
}

/** Adds what a command has seen. It is a convenience: where it cannot be kept, nothing is said. */
export function rememberSlugs(env: Environment, settings: Settings, seen: SeenSlugs, now: number): void {
  const cache = readCache(env)
  const account = accountHash(settings)
  const fresh = [...seen].flatMap(([slug, about]) =>
    about === null || !isSafe(slug) ? [] : [{ slug, about, at: now }],
  )
  const older = (cache[account] ?? []).filter(({ slug }) => !seen.has(slug))
  const others = Object.entries(cache).map(([hash, entries]) => [hash, alive(entries, now)] as const)
  const kept = { ...Object.fromEntries(others), [account]: [...fresh, ...alive(older, now)].slice(0, MOST_SLUGS) }
  const full = Object.fromEntries(Object.entries(kept).filter(([, entries]) => entries.length > 0))
  try {
    write(env, full)
  } catch {
    // The command did what it was asked to.
  }
}

function alive(entries: readonly Entry[], now: number): readonly Entry[] {
  return entries.filter(({ at }) => at <= now && now - at < LIFETIME_MS)
}

/** A slug is put into a command line as it is, where anything else might be run by the shell. */
function isSafe(slug: string): boolean {
  return /^[\w.-]{1,200}$/.test(slug)
}

/** Names an account without telling of its key; a key that a command would have to print is known by the command. */
function accountHash({ base_url, api_key, api_key_file, key_command }: Settings): string {
  const parts = [base_url, api_key, api_key_file, key_command].map((setting) => setting?.value ?? null)
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}

function readCache(env: Environment): Cache {
  try {
    const cache: unknown = JSON.parse(readPrivateFile(join(stateFolder(env), FILE)).toString('utf8'))
    const entries = Object.entries(Object(cache)).map(([hash, list]) => [hash, readEntries(list)] as const)
    return Object.fromEntries(entries)
  } catch {
    return {}
  }
}

function readEntries(list: unknown): readonly Entry[] {
  return (Array.isArray(list) ? list : []).flatMap((entry) => {
    const { slug, about, at } = Object(entry)
    const usable = typeof slug === 'string' && isSafe(slug) && typeof about === 'string' && typeof at === 'number'
    return usable ? [{ slug, about, at }] : []
  })
}

function write(env: Environment, cache: Cache): void {
  const folder = stateFolder(env)
  makeOwnFolder(folder, !env['FH_STATE_DIR'])
  const draft = join(folder, `${FILE}.${randomBytes(6).toString('hex')}`)
  try {
    writeFileSync(draft, JSON.stringify(cache), { mode: 0o600, flag: 'wx' })
    renameSync(draft, join(folder, FILE))
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}
