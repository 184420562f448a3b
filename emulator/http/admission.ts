import type { EmulatorClock } from '../clock.ts'
import type { FaultAction } from '../faults/fault.ts'
import type { HttpRequest } from '../http-types.ts'
import { addressRefusal, suspensionRefusal } from '../service/access.ts'
import type { Verdict } from '../service/quota/quota.ts'
import type { Refusal } from '../service/refusal.ts'
import type { Service } from '../service/service.ts'
import type { Settings, SettingsStore } from '../settings/settings.ts'
import type { AccountRecord, RequestRecord } from '../storage/record-store.ts'

/** What the log will say about a request; the pipeline fills it in as it learns. */
export type LogEntry = { -readonly [Field in keyof RequestRecord]: RequestRecord[Field] }

/** A request that wants to be let in; it is filled in as more becomes known. */
export interface Applicant {
  readonly request: HttpRequest
  /** The key it brought; undefined where there is none that could be one. */
  readonly key: string | undefined
  readonly entry: LogEntry
  /** Whose key it brought; null where that is nobody's, undefined before anybody has looked. */
  account?: AccountRecord | null
  /** What the quota said; undefined before it was asked. */
  verdict?: Verdict
  /** The fault that struck it; undefined where none did. */
  strike?: FaultAction
}

type Check = Settings['check_order'][number]

/** Whether a request may reach an endpoint (spec 5, 8). */
export interface Admission {
  /** Whose key the request brought; null where that is nobody's. */
  lookUp(applicant: Applicant): AccountRecord | null
  /** The same, and the log names the account from then on. */
  accountOf(applicant: Applicant): AccountRecord | null
  /**
   * Some of the checks, in their order, up to the first that refuses. Those that need an account pass where there is
   * none, for the check of the key will not.
   * @param cost in units, charged by the check of the quota
   */
  examine(applicant: Applicant, checks: readonly Check[], cost: number): Refusal | undefined
  /** Takes the charge of a failed request back where failures are free. */
  settleFailure(applicant: Applicant): void
  /** Takes back all that letting it in has done: it turned out to be none of the service's calls. */
  undo(applicant: Applicant): void
}

interface AdmissionContext {
  readonly service: Service
  readonly settings: SettingsStore
  readonly clock: EmulatorClock
}

export function createAdmission({ service, settings, clock }: AdmissionContext): Admission {
  const lookUp = ({ account, key }: Applicant): AccountRecord | null => {
    if (account !== undefined) return account
    return (key === undefined ? undefined : service.accounts.findByKey(key)) ?? null
  }

  const accountOf = (applicant: Applicant): AccountRecord | null => {
    if (applicant.account !== undefined) return applicant.account
    const account = lookUp(applicant)
    applicant.account = account
    applicant.entry.accountId = account?.id ?? null
    return account
  }

  const charge = (applicant: Applicant, account: AccountRecord, cost: number) => {
    const verdict = service.quota.charge(account, cost, clock.now())
    applicant.verdict = verdict
    applicant.entry.cost = verdict.charged
    return verdict.refusal
  }

  const examineFor = (check: Check, applicant: Applicant, cost: number): Refusal | undefined => {
    if (check === 'disabled') return settings.current.api_enabled ? undefined : { kind: 'api-disabled' }
    const account = accountOf(applicant)
    if (account === null) return check === 'key' ? { kind: 'invalid-key' } : undefined
    switch (check) {
      case 'key':
        return undefined
      case 'suspended':
        return suspensionRefusal(account)
      case 'address':
        return addressRefusal(account, applicant.entry.clientIp)
      case 'quota':
        return charge(applicant, account, cost)
    }
  }

  const takeBack = (account: AccountRecord, verdict: Verdict) =>
    service.quota.refund(account, { units: verdict.charged, at: verdict.at }, clock.now())

  return {
    lookUp,
    accountOf,
    examine(applicant, checks, cost) {
      for (const check of checks) {
        const refusal = examineFor(check, applicant, cost)
        if (refusal !== undefined) return refusal
      }
      return undefined
    },
    settleFailure(applicant) {
      const { account, verdict, entry } = applicant
      if (settings.current.charge_failed || !account || verdict === undefined) return
      applicant.verdict = { ...verdict, standing: takeBack(account, verdict), charged: 0 }
      entry.cost = 0
    },
    undo(applicant) {
      const { account, verdict, entry } = applicant
      if (account && verdict !== undefined) takeBack(account, verdict)
      delete applicant.verdict
      entry.cost = 0
      entry.accountId = null
    },
  }
}
