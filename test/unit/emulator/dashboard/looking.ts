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
