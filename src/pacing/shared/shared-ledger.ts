import { aFunction, aSecret, checkOptions, type OptionChecks, objectWith } from '../../checks/options.ts'
import { aText } from '../../checks/values.ts'
import { type Clock, systemClock } from '../../clock.ts'
import type { QuotaLimits } from '../../protocol/rate-limits.ts'
import { readQuotaRows, SqliteQuota } from '../../store/sqlite-quota.ts'
import { StoreError } from '../../store/store-error.ts'
import { accountHash } from '../../system/account-hash.ts'
import { observer } from '../../system/observer.ts'
import type { Ledger } from '../ledger.ts'
import { limitsCheck, QuotaModel, type QuotaModelOptions } from '../quota-model/quota-model.ts'
import type { QuotaRow } from './quota-row.ts'
import { QuotaState, rowForm } from './quota-state.ts'
import { StoreLedger } from './store-ledger.ts'

export interface SharedLedgerOptions {
  /** The folder for state that outlives a process; the ledger is `quota.db` in it. */
  readonly folder: string
  readonly baseUrl: string
  readonly apiKey: string
  /** Default of each: the spec's (spec 8). */
  readonly limits: Partial<QuotaLimits>
  /** Default: the system's clock. All processes that share the folder must agree on the time. */
  readonly clock?: Clock | undefined
  /** Called once if the folder cannot be used; from then on this process counts only its own requests. */
  readonly onProblem?: ((problem: LedgerProblem) => void) | undefined
}

const optionChecks: OptionChecks<SharedLedgerOptions> = {
  folder: { ...aText, accepts: 'the path of a folder' },
  baseUrl: aText,
  apiKey: aSecret,
  limits: limitsCheck,
  clock: objectWith(['now', 'sleep'], 'a clock with now and sleep, such as systemClock'),
  onProblem: aFunction,
}

/** Why a ledger is not shared. */
export interface LedgerProblem {
  readonly folder: string
  readonly reason: string
}

/**
 * One ledger for all processes of a machine that use the same key of the same service: rows in a database, which contains
 * neither key nor address. A full or missing disk never makes it throw.
 *
 * @throws StoreError by `reserve`, where another process has held the database for two seconds, or a newer version has
 * written it
 */
export function createSharedLedger(options: SharedLedgerOptions): Ledger {
  checkOptions('createSharedLedger', options, optionChecks, { required: ['folder', 'baseUrl', 'apiKey'] })
  const { folder, clock = systemClock } = options
  const onProblem = observer('onProblem of createSharedLedger', options.onProblem)
  const store = new SqliteQuota({ ...placeOf(options), clock, onProblem: (reason) => onProblem({ folder, reason }) })
  return new StoreLedger({ store, clock, createModel: () => new QuotaModel(options) })
}

/**
 * The rows of the ledger that the processes of this machine share. Adds none. A ledger that cannot be read counts as empty
 * and is reported to `onProblem`.
 */
export function readSharedRows({
  onProblem,
  ...place
}: Omit<SharedLedgerOptions, 'limits' | 'clock'>): readonly QuotaRow[] {
  try {
    return readQuotaRows(placeOf(place))
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    onProblem?.({ folder: place.folder, reason: error.reason })
    return []
  }
}

/** What the rows of a key add up to. */
export function stateOf(rows: readonly QuotaRow[], options: QuotaModelOptions): QuotaState {
  return new QuotaState(() => new QuotaModel(options), rows)
}

/** A ledger's state at one moment. */
export type QuotaReading = ReturnType<typeof readQuota>

/** @param at epoch milliseconds */
export function readQuota(model: QuotaModel, at: number) {
  const verdict = model.verdict(1, at)
  const isHeld = verdict.type === 'later' && verdict.source !== 'ledger'
  return {
    at,
    windows: model.windows(at),
    /**
     * What holds back every request apart from the count: a refusal, or a service that is switched off. `until` is undefined
     * while a request is under way that finds out whether the hold is over.
     */
    hold: isHeld ? { until: verdict.at, window: verdict.window, source: verdict.source } : undefined,
  }
}

/**
 * Forgets what the processes of this machine have counted and learned for a key, except requests under way. Running
 * processes forget too.
 *
 * @throws StoreError where it cannot be written
 */
export function forgetSharedQuota(options: Omit<SharedLedgerOptions, 'limits'>): void {
  const { clock = systemClock } = options
  if (readQuotaRows(placeOf(options)).length === 0) return
  const store = new SqliteQuota({ ...placeOf(options), clock })
  try {
    store.turn(() => ({ add: [{ type: 'forget' }], result: undefined }))
  } finally {
    store.close()
  }
}

function placeOf({ folder, baseUrl, apiKey }: Pick<SharedLedgerOptions, 'folder' | 'baseUrl' | 'apiKey'>) {
  return { folder, account: accountHash(baseUrl, apiKey), form: rowForm }
}
