import { fileURLToPath } from 'node:url'

/** The path of a file in test/fixtures/tls. */
export const tlsFile = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url))

/** Of a server on 127.0.0.1, as paths. */
export const tlsFiles = { cert: tlsFile('certificate.pem'), key: tlsFile('key.pem') }
