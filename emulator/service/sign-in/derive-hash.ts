import { type BinaryLike, type ScryptOptions, scrypt } from 'node:crypto'
import { promisify } from 'node:util'

const inThread = promisify<BinaryLike, BinaryLike, number, ScryptOptions, Uint8Array>(scrypt)

/** Turns a digest into a hash, slowly; {@link deriveHash}, or a quick one for tests. */
export type DeriveHash = (digest: string, salt: Uint8Array) => Promise<Uint8Array>

/** By scrypt with OWASP's choice for 16 MiB, which stored-password.ts writes into the stored text. */
export const deriveHash: DeriveHash = (digest, salt) => inThread(digest, salt, 32, { N: 2 ** 14, r: 8, p: 5 })
