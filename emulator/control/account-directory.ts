import type { Service } from '../service/service.ts'
import type { AccountRecord } from '../storage/records.ts'
import { accountWriter } from './account-control.ts'

/** Accounts a page at a time: a suite makes one for each of its tests, and a reader comes back several times a second. */
export function createAccountDirectory(service: Service) {
  const show = accountWriter(service)
  /**
   * @param wanted an id, or a part of the email in any case; empty: every account
   * @param from how many accounts to leave out; the last one is never left out
   * @returns at most `most` accounts, the first one first; how many were found, and how many there are
   */
  return (wanted: string, from: number, most: number) => {
    const all = service.accounts.all()
    const found = wanted === '' ? all : all.filter(isWanted(wanted))
    const start = Math.min(from, Math.max(found.length - 1, 0))
    const accounts = found.slice(start, start + most).map(show)
    return { accounts, from: start, found: found.length, all: all.length }
  }
}

export type AccountDirectory = ReturnType<typeof createAccountDirectory>

function isWanted(wanted: string): (account: AccountRecord) => boolean {
  const part = wanted.toLowerCase()
  return ({ id, email }) => `${id}` === part || email.toLowerCase().includes(part)
}
