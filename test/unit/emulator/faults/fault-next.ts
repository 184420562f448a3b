import type { Emulator, FaultAction, RequestInfo } from '../../../../emulator/index.ts'

/** Applies a fault to the next matching request; returns what the log and the account show afterwards. */
export function faultNext({ control }: Emulator, action: FaultAction, path = '*'): () => Consequences {
  control.faults.set([{ match: { path }, action }])
  return () => ({
    logged: control.requests.list().requests.filter(({ fault }) => fault !== undefined),
    charged: control.accounts.quota(1).day.used,
    uploads: control.health().uploads,
  })
}

export interface Consequences {
  /** The requests that the fault hit. */
  readonly logged: readonly RequestInfo[]
  readonly charged: number
  readonly uploads: number
}
