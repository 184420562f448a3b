import { randomBytes } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { makePrivateFolder } from '../system/private-file.ts'
import { isLocked, openLock } from './sqlite.ts'

/** The name of a run: one use of the state folder, by one process. */
export type RunId = string

/** A run takes its lock a moment after it has made the file. */
const NEW_MS = 60_000

/**
 * The runs that use a state folder. Each holds a lock until it ends; the kernel ends the lock with the process, so no run
 * is taken for alive or over by its process number, its age or a heartbeat. A run that is stopped is alive.
 */
export class Runs {
  /** A lock that is not referenced is collected, and with it the lock ends. */
  static readonly #held = new Set<DatabaseSync>()
  readonly #folder: string
  #own: { readonly run: RunId; readonly lock: DatabaseSync } | undefined

  /** @param folder the state folder */
  constructor(folder: string) {
    this.#folder = join(folder, 'runs')
  }

  /**
   * This run, which lives from the first call to {@link close}. Where its file was removed, others take it for over, so it
   * goes on as another one.
   * @throws StoreError where the folder cannot be used
   */
  own(): RunId {
    if (this.#own && existsSync(this.#pathOf(this.#own.run))) return this.#own.run
    this.close()
    const run = randomBytes(9).toString('base64url')
    makePrivateFolder(this.#folder)
    this.#own = { run, lock: openLock(this.#pathOf(run)) }
    Runs.#held.add(this.#own.lock)
    return run
  }

  /** Whether a run has not ended. */
  lives(run: RunId): boolean {
    // A name from a database that someone has written into must not lead elsewhere.
    if (!/^[\w-]{12}$/.test(run)) return false
    return run === this.#own?.run || isLocked(this.#pathOf(run))
  }

  /** Removes the files of runs that were killed. @param now epoch milliseconds of the system */
  sweep(now: number): void {
    for (const name of namesIn(this.#folder)) {
      const path = join(this.#folder, name)
      const changedMs = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now
      if (now - changedMs > NEW_MS && !isLocked(path)) rmSync(path, { force: true })
    }
  }

  /** This run is over. */
  close(): void {
    if (this.#own === undefined) return
    const { run, lock } = this.#own
    this.#own = undefined
    lock.close()
    Runs.#held.delete(lock)
    try {
      rmSync(this.#pathOf(run), { force: true })
    } catch {
      // On Windows another process may be asking whether it lives; `sweep` removes the file later.
    }
  }

  #pathOf(run: RunId): string {
    return join(this.#folder, `${run}.lock`)
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => /^[\w-]{12}\.lock$/.test(name))
  } catch {
    return []
  }
}
