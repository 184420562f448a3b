import type { Service } from '../service/service.ts'
import type { AccountRecord } from '../storage/records.ts'
import { type AccountInfo, accountWriter } from './account-control.ts'

export interface AccountSearch {
  /** An id, or a part of the email in any case; empty: every account. */
  readonly wanted: string
  /** How many accounts to leave out; the last one is never left out. */
  readonly from: number
  readonly most: number
}

export interface FoundAccounts {
  /** The first account first. */
  readonly accounts: readonly AccountInfo[]
  readonly from: number
  /** How many were found. */
  readonly found: number
}

export function createAccountDirectory(service: Service) {
  const show = accountWriter(service)
  return {
    count: () => service.accounts.all().length,
    search({ wanted, from, most }: AccountSearch): FoundAccounts {
      const all = service.accounts.all()
      const found = wanted === '' ? all : all.filter(isWanted(wanted))
      const start = Math.min(from, Math.max(found.length - 1, 0))
      return { accounts: found.slice(start, start + most).map(show), from: start, found: found.length }
    },
  }
}

/** Accounts a page at a time: a suite makes one for each of its tests, and a reader comes back several times a second. */
export type AccountDirectory = ReturnType<typeof createAccountDirectory>

function isWanted(wanted: string): (account: AccountRecord) => boolean {
  const part = wanted.toLowerCase()
  return ({ id, email }) => `${id}` === part || email.toLowerCase().includes(part)
}
