import { AsyncLocalStorage } from 'node:async_hooks'
import type { DatabaseSync } from 'node:sqlite'

/** What a run of this process has open. */
interface Run {
  readonly handles: Set<DatabaseSync>
  /** Whether the run is killed inside the transaction that is about to be committed. */
  readonly isTorn: () => boolean
  isOver: boolean
  kill(): void
}

const current = new AsyncLocalStorage<Run>()
let isInstalled = false

/** All databases that are opened from now on belong to the run that opens them. */
function install(): void {
  if (isInstalled) return
  isInstalled = true
  const sqlite = process.getBuiltinModule('node:sqlite')
  const { DatabaseSync: Original } = sqlite
  sqlite.DatabaseSync = class extends Original {
    readonly #run = current.getStore()

    constructor(...args: ConstructorParameters<typeof Original>) {
      if (current.getStore()?.isOver) throw new Error('The process has ended')
      super(...args)
      this.#run?.handles.add(this)
    }

    override exec(sql: string): void {
      if (sql === 'COMMIT' && this.#run?.isTorn()) {
        this.#run.kill()
        throw new Error('The program was killed')
      }
      super.exec(sql)
    }
  }
}

/** A run of this process that can be killed. */
export interface KillableWork {
  /** What the work opens belongs to the run, whenever it does so. */
  within<Result>(work: () => Result): Result
  /** Closed ones too. */
  readonly handles: ReadonlySet<DatabaseSync>
  /**
   * As the kernel does it: all databases are closed, which ends their locks and rolls back what was not committed. It opens
   * no others.
   */
  kill(): void
}

/** @param isTorn asked before each commit: whether the run is killed before it */
export function killableWork(isTorn = () => false): KillableWork {
  install()
  const run: Run = {
    handles: new Set(),
    isTorn,
    isOver: false,
    kill() {
      run.isOver = true
      for (const handle of run.handles) if (handle.isOpen) handle.close()
    },
  }
  return { handles: run.handles, within: (work) => current.run(run, work), kill: run.kill }
}

/** An object whose methods are a run that can be killed. */
export function killable<Value extends object>(
  open: () => Value,
): { readonly run: Value } & Omit<KillableWork, 'within'> {
  const { within, ...rest } = killableWork()
  const value = within(open)
  const run = new Proxy(value, {
    get(_, name) {
      const found = Reflect.get(value, name)
      return typeof found === 'function' ? (...args: unknown[]) => within(() => found.apply(value, args)) : found
    },
  })
  return { run, ...rest }
}
