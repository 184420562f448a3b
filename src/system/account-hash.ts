import { createHash } from 'node:crypto'

/** Names an account, one key of one service, in files that must not contain address or key: 16 hexadecimal digits. */
export function accountHash(baseUrl: string, apiKey: string): string {
  return createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('hex').slice(0, 16)
}
