import { randomBytes } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Upload } from '../../index.ts'
import { accountHash } from '../../system/account-hash.ts'
import type { Environment } from '../../system/environment.ts'
import { readPrivateFile } from '../../system/private-file.ts'
import { makeOwnFolder, stateFolder } from '../../system/private-folder.ts'
import { errorCodeOf } from '../../system/system-errors.ts'
import type { GivenSettings } from '../config/settings.ts'
import { formatByteSize, formatDate, printable } from '../format/format.ts'
import type { CliEvent, Reporter } from '../output/events.ts'

export interface Suggestion {
  readonly value: string
  /** May be empty. */
  readonly description: string
}

/** The slugs a command listed, uploaded or deleted: the description of each, or null if it was deleted. */
export type SeenSlugs = ReadonlyMap<string, string | null>

/** An afternoon's work; older slugs may have been deleted elsewhere. */
const LIFETIME_MS = 4 * 3_600_000
const MOST_SLUGS = 500
const FILE = 'completion.json'

interface Entry {
  readonly slug: string
  readonly about: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** By {@link accountOf}. */
type Cache = Readonly<Record<string, readonly Entry[]>>

/** The slugs of the account seen in the last hours, so that completion sends no request. */
export function recentSlugs(env: Environment, settings: GivenSettings, now: number): readonly Suggestion[] {
  const entries = readCache(env)?.[accountOf(settings)] ?? []
  return recent(entries, now).map(({ slug, about }) => ({ value: slug, description: about }))
}

/**
 * Makes the cache, empty, when a shell asks for a completion: the cache is the sign that completion is installed.
 * Errors are ignored: completion works without it.
 */
export function startRemembering(env: Environment): void {
  if (readCache(env) === undefined) write(env, {})
}

/** Adds the slugs of a command, if completion is installed. Errors are ignored: the command has done its work. */
export function rememberSlugs(env: Environment, settings: GivenSettings, seen: SeenSlugs, now: number): void {
  const cache = readCache(env)
  if (cache === undefined) return
  const account = accountOf(settings)
  const fresh = [...seen].flatMap(([slug, about]) =>
    about === null || !isSafe(slug) ? [] : [{ slug, about, at: now }],
  )
  const older = (cache[account] ?? []).filter(({ slug }) => !seen.has(slug))
  const others = Object.entries(cache).map(([hash, entries]) => [hash, recent(entries, now)] as const)
  const kept = { ...Object.fromEntries(others), [account]: [...fresh, ...recent(older, now)].slice(0, MOST_SLUGS) }
  write(env, Object.fromEntries(Object.entries(kept).filter(([, entries]) => entries.length > 0)))
}

function recent(entries: readonly Entry[], now: number): readonly Entry[] {
  return entries.filter(({ at }) => at <= now && now - at < LIFETIME_MS)
}

/** Whether a slug can be put into a command line without quotes: a shell might run anything else. */
function isSafe(slug: string): boolean {
  return /^[\w.-]{1,200}$/.test(slug)
}

/** The account of the settings, without running `key_command`: the command itself stands for its key. */
function accountOf({ base_url, api_key, api_key_file, key_command }: GivenSettings): string {
  const key = [api_key, api_key_file, key_command].map((setting) => setting?.value ?? null)
  return accountHash(base_url?.value ?? '', JSON.stringify(key))
}

/** @returns undefined where there is no cache; an empty one where it cannot be read */
function readCache(env: Environment): Cache | undefined {
  try {
    const cache: unknown = JSON.parse(readPrivateFile(join(stateFolder(env), FILE)).toString('utf8'))
    const entries = Object.entries(Object(cache)).map(([hash, list]) => [hash, readEntries(list)] as const)
    return Object.fromEntries(entries)
  } catch (error) {
    return /^(ENOENT|ENOTDIR)$/.test(String(errorCodeOf(error))) ? undefined : {}
  }
}

function readEntries(list: unknown): readonly Entry[] {
  return (Array.isArray(list) ? list : []).flatMap((entry) => {
    const { slug, about, at } = Object(entry)
    const usable = typeof slug === 'string' && isSafe(slug) && typeof about === 'string' && typeof at === 'number'
    return usable ? [{ slug, about, at }] : []
  })
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // The folder itself may be unusable.
  }
}

function write(env: Environment, cache: Cache): void {
  const folder = stateFolder(env)
  const draft = join(folder, `${FILE}.${randomBytes(6).toString('hex')}`)
  try {
    makeOwnFolder(folder, !env['FH_STATE_DIR'])
    writeFileSync(draft, JSON.stringify(cache), { mode: 0o600, flag: 'wx' })
    renameSync(draft, join(folder, FILE))
  } catch {
    removeQuietly(draft)
  }
}

/** Wraps a reporter, and collects the slugs of the uploads that it reports as listed, uploaded or deleted. */
export function watchSlugs(reporter: Reporter): { readonly reporter: Reporter; readonly seen: SeenSlugs } {
  const seen = new Map<string, string | null>()
  const collect = (event: CliEvent) => {
    if (event.type === 'upload-listed') seen.set(event.upload.slug, descriptionOf(event.upload))
    if (event.type !== 'item-finished') return
    const { status, upload, subject } = event.record
    if (status === 'uploaded' && upload !== null) seen.set(upload.slug, descriptionOf(upload))
    if (status === 'deleted' && 'slug' in subject) seen.set(subject.slug, null)
  }
  return {
    seen,
    reporter: {
      report(event) {
        collect(event)
        reporter.report(event)
      },
      close: () => reporter.close(),
    },
  }
}

function descriptionOf({ title, mime_type, size, created_at }: Upload): string {
  const named = title === null ? '' : `${printable(title)}, `
  return `${named}${printable(mime_type)}, ${formatByteSize(size)}, ${formatDate(created_at)}`
}
