import { AsyncLocalStorage } from 'node:async_hooks'
import type { DatabaseSync } from 'node:sqlite'

/** The databases that a run of this process has open. */
type Handles = Set<DatabaseSync>

const current = new AsyncLocalStorage<Handles>()
let isInstalled = false

/** All databases that are opened from now on belong to the run that opens them. */
function install(): void {
  if (isInstalled) return
  isInstalled = true
  const sqlite = process.getBuiltinModule('node:sqlite')
  const { DatabaseSync: Original } = sqlite
  sqlite.DatabaseSync = class extends Original {
    constructor(...args: ConstructorParameters<typeof Original>) {
      super(...args)
      current.getStore()?.add(this)
    }
  }
}

/** A run of this process that can be killed. */
export interface KillableWork {
  /** What the work opens belongs to the run, whenever it does so. */
  within<Result>(work: () => Result): Result
  /** Closed ones too. */
  readonly handles: ReadonlySet<DatabaseSync>
  /** As the kernel does it: all databases are closed, which ends their locks and rolls back what was not committed. */
  kill(): void
}

export function killableWork(): KillableWork {
  install()
  const handles: Handles = new Set()
  return {
    handles,
    within: (work) => current.run(handles, work),
    kill() {
      for (const handle of handles) if (handle.isOpen) handle.close()
    },
  }
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
