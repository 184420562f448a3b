import { scrypt } from 'node:crypto'

/** OWASP's choice for 16 MiB; stored-password.ts writes it into the stored text. */
const cost = { N: 2 ** 14, r: 8, p: 5 } as const
const hashBytes = 32

/** Turns a digest into a hash, slowly; {@link deriveHash}, or a quick one for tests. */
export type DeriveHash = (digest: string, salt: Uint8Array) => Promise<Uint8Array>

/** By scrypt, in one of libuv's threads. */
export const deriveHash: DeriveHash = (digest, salt) =>
  new Promise((resolve, reject) => {
    scrypt(digest, salt, hashBytes, cost, (error, derived) => (error === null ? resolve(derived) : reject(error)))
  })
