import type { EmulatorParts } from '../emulator-parts.ts'
import type { QuotaVerdict } from '../service/quota/quota.ts'
import type { Refusal } from '../service/refusal.ts'
import type { Settings } from '../settings/settings.ts'
import type { AccountRecord } from '../storage/record-types.ts'
import { allowsAddress } from '../values/ip-allowlist.ts'
import type { RequestContext } from './request-context.ts'

type AdmissionCheck = Settings['check_order'][number]

export function createAdmission({ service, settings, clock }: Pick<EmulatorParts, 'service' | 'settings' | 'clock'>) {
  const lookUp = ({ account, key }: RequestContext): AccountRecord | null => {
    if (account !== undefined) return account
    return (key === undefined ? undefined : service.accounts.findByKey(key)) ?? null
  }

  const accountOf = (context: RequestContext): AccountRecord | null => {
    if (context.account !== undefined) return context.account
    const account = lookUp(context)
    context.account = account
    context.entry.accountId = account?.id ?? null
    return account
  }

  const charge = (context: RequestContext, account: AccountRecord, cost: number) => {
    const verdict = service.quota.charge(account, cost, clock.now())
    context.verdict = verdict
    context.entry.cost = verdict.charged
    return verdict.refusal
  }

  const examineFor = (check: AdmissionCheck, context: RequestContext, cost: number): Refusal | undefined => {
    if (check === 'disabled') return settings.current.api_enabled ? undefined : { kind: 'api-disabled' }
    const account = accountOf(context)
    if (account === null) return check === 'key' ? { kind: 'invalid-key' } : undefined
    switch (check) {
      case 'key':
        return undefined
      case 'suspended':
        return suspensionRefusal(account)
      case 'address':
        return addressRefusal(account, context.entry.clientIp)
      case 'quota':
        return charge(context, account, cost)
    }
  }

  const takeBack = (account: AccountRecord, verdict: QuotaVerdict) =>
    service.quota.refund(account, { units: verdict.charged, at: verdict.at }, clock.now())

  return {
    /** The account of the request's key; null if no account has it. */
    lookUp,
    /** The same, and records the account in the log. */
    accountOf,
    /**
     * Runs the checks in order, up to the first that refuses. A check that needs an account passes without one, since the
     * key check refuses.
     * @param cost in units, charged by the quota check
     */
    examine(context: RequestContext, checks: readonly AdmissionCheck[], cost: number): Refusal | undefined {
      for (const check of checks) {
        const refusal = examineFor(check, context, cost)
        if (refusal !== undefined) return refusal
      }
      return undefined
    },
    /** Refunds a failed request where failures are free. */
    refundFailure(context: RequestContext) {
      const { account, verdict, entry } = context
      if (settings.current.charge_failed || !context.isServed || !account || verdict === undefined) return
      context.verdict = { ...verdict, reportedWindow: takeBack(account, verdict), charged: 0 }
      entry.cost = 0
    },
    /** Undoes the charge and the account of a request that turned out to be no call of the service. */
    undo(context: RequestContext) {
      const { account, verdict, entry } = context
      if (account && verdict !== undefined) takeBack(account, verdict)
      context.verdict = undefined
      entry.cost = 0
      entry.accountId = null
    },
  }
}

/** Decides whether a request may reach an endpoint (spec 5, 8). */
export type Admission = ReturnType<typeof createAdmission>

/** Refuses a suspended account (spec 5.6). */
function suspensionRefusal(account: AccountRecord): Refusal | undefined {
  return account.suspended ? { kind: 'suspended', reason: account.suspensionReason } : undefined
}

/** Refuses an address outside the account's allowlist (spec 5.5). */
function addressRefusal(account: AccountRecord, clientIp: string): Refusal | undefined {
  return allowsAddress(account.ipAllowlist, clientIp) ? undefined : { kind: 'address-not-allowed' }
}
