import type { Emulator, FaultAction, RequestInfo } from '../../../../emulator/index.ts'

/** Has the next matching request struck, and tells what the log and the account say of it afterwards. */
export function strikeNext({ control }: Emulator, action: FaultAction, path = '*'): () => Consequences {
  control.faults.set([{ match: { path }, action }])
  return () => ({
    logged: control.requests.list().requests.filter(({ fault }) => fault !== undefined),
    charged: control.accounts.quota(1).day.used,
    uploads: control.health().uploads,
  })
}

export interface Consequences {
  /** The requests that were struck. */
  readonly logged: readonly RequestInfo[]
  readonly charged: number
  readonly uploads: number
}
