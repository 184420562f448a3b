import type { AccountDirectory } from '../../../../emulator/control/account-directory.ts'
import type { Emulator } from '../../../../emulator/index.ts'

/** The dashboard's page as its HTML. */
export async function page({ fetch }: Emulator, query = ''): Promise<string> {
  return (await fetch(`http://h/_emulator/ui${query}`)).text()
}

/** The first token for forms on a page. */
export function tokenIn(html: string): string {
  return /name="token" value="([^"]+)"/.exec(html)?.[1] ?? ''
}

/** Sends a form of the dashboard as a browser does that tells where it comes from, and follows no redirect. */
export function sendForm(
  { fetch }: Emulator,
  action: string,
  fields: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = { 'Sec-Fetch-Site': 'same-origin' },
): Promise<Response> {
  const body = new URLSearchParams(fields)
  return fetch(new Request(`http://h/_emulator/ui/${action}`, { method: 'POST', redirect: 'manual', headers, body }))
}

/** The HTML of one section of a page. */
export function section(html: string, name: string): string {
  return new RegExp(`<section id="${name}".*?</section>`, 's').exec(html)?.[0] ?? ''
}

/** Follows the redirect of a form, as a browser does. */
export async function landed({ fetch }: Emulator, answer: Response): Promise<string> {
  return (await fetch(`http://h${answer.headers.get('location')}`)).text()
}

/** What stands beside a field of a refused form, by the name of the field’s id. */
export function problemBeside(html: string, id: string): string | undefined {
  return new RegExp(`id="${id}-problem">([^<]*)<`).exec(html)?.[1]
}

/** For a dashboard that is made without a service. */
export const noAccounts: AccountDirectory = { count: () => 0, search: () => ({ accounts: [], from: 0, found: 0 }) }
