import { randomBytes } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { makePrivateFolder } from '../system/private-file.ts'
import { endLock, isLocked, openLock, orStoreError } from './sqlite.ts'

/** The name of a run: one use of the state folder, by one process. It begins with the number of the process, for people. */
export type RunId = string

const FORM = /^\d+-[\w-]{8}$/
const LOCK = /^\d+-[\w-]{8}\.lock$/
/** A run takes its lock a moment after it has made the file. */
const NEW_MS = 60_000

/**
 * The runs that use a state folder. Each holds a lock until it ends; the kernel ends the lock with the process, so no run
 * is taken for alive or over by its process number, its age or a heartbeat. A run that is stopped is alive.
 */
export class Runs {
  /** A lock that is not referenced is collected, and with it the lock ends. */
  static readonly #held = new Set<DatabaseSync>()
  readonly #folder: string | undefined
  #run: RunId | undefined
  #lock: DatabaseSync | undefined

  /** @param folder the state folder; undefined for a run that is alone */
  constructor(folder: string | undefined) {
    this.#folder = folder && join(folder, 'runs')
  }

  /**
   * This run, which lives from the first call to {@link close}. A lock whose file was removed is taken again: others may have
   * taken the run for over meanwhile.
   * @param isAlone takes no lock, as where the folder cannot be used
   * @throws StoreError where the folder cannot be used
   */
  own({ isAlone = this.#folder === undefined } = {}): RunId {
    this.#run ??= `${process.pid}-${randomBytes(6).toString('base64url')}`
    const path = this.#pathOf(this.#run)
    if (isAlone || (this.#lock && existsSync(path))) return this.#run
    this.#unlock()
    orStoreError(path, () => makePrivateFolder(this.#folder ?? ''))
    this.#lock = openLock(path)
    Runs.#held.add(this.#lock)
    return this.#run
  }

  isOwn(run: unknown): boolean {
    return this.#run !== undefined && run === this.#run
  }

  /** Whether a run has not ended. */
  lives(run: RunId): boolean {
    if (this.isOwn(run)) return true
    // A name from a database that someone has written into must not lead elsewhere.
    return this.#folder !== undefined && FORM.test(run) && isLocked(this.#pathOf(run))
  }

  /** Removes the files of runs that were killed, as far as it can. @param now epoch milliseconds of the system */
  sweep(now: number): void {
    try {
      for (const name of readdirSync(this.#folder ?? '')) {
        const path = join(this.#folder ?? '', name)
        const changedMs = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now
        if (LOCK.test(name) && now - changedMs > NEW_MS && !isLocked(path)) rmSync(path, { force: true })
      }
    } catch {
      // The next run that ends sweeps too.
    }
  }

  /** This run is over. */
  close(): void {
    // On Windows another process may be asking whether it lives; `sweep` removes the file later.
    this.#unlock((lock) => endLock(this.#pathOf(this.#run ?? ''), lock))
    this.#run = undefined
  }

  #unlock(end = (lock: DatabaseSync) => lock.close()): void {
    if (this.#lock === undefined) return
    end(this.#lock)
    Runs.#held.delete(this.#lock)
    this.#lock = undefined
  }

  #pathOf(run: RunId): string {
    return join(this.#folder ?? '', `${run}.lock`)
  }
}

/** The number of the process of a run, for people. */
export function processOf(run: RunId): number {
  return Number.parseInt(run, 10)
}

/** File systems of other machines, by the numbers of statfs(2): locks there may not reach the machines that share them. */
const networks: ReadonlySet<number> = new Set([
  0x6969, // NFS
  0x517b, // SMB
  0xff534d42, // CIFS
  0xfe534d42, // SMB 2
  0x5346414f, // AFS
  0x00c36400, // Ceph
  0x0bd00bd0, // Lustre
  0x47504653, // GPFS
])

/** Whether a folder lies on a disk of another machine, as far as this system tells. */
export function isOnNetwork(folder: string, statfs: (path: string) => { readonly type: number } = statfsSync): boolean {
  try {
    return networks.has(statfs(folder).type >>> 0)
  } catch {
    return false
  }
}
