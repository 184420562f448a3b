import type {
  AccountInfo,
  AddedUploads,
  ClockInfo,
  CreatedAccount,
  Emulator,
  RequestListing,
} from '../../../../emulator/index.ts'

/** All fields of all answers, so that a test can read the ones it expects. */
type AnyBody = AccountInfo &
  CreatedAccount &
  AddedUploads &
  ClockInfo &
  RequestListing & { readonly error: { readonly code: string; readonly message: string; readonly hint?: string } }

export interface ControlAnswer {
  readonly status: number
  readonly body: AnyBody
  readonly headers: Headers
}

/** A call of the control API over HTTP, without a socket. */
export async function callControl(
  { fetch }: Emulator,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<ControlAnswer> {
  const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
  const response = await fetch(new Request(`http://h/_emulator${path}`, { method, headers, ...sent }))
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers: response.headers }
}
