import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createRig } from '../helpers/rig.ts'
import { movingBytes, sha256Of, slowService } from '../helpers/slow-service.ts'

const expected = sha256Of(movingBytes)
const certificate = fileURLToPath(new URL('../fixtures/tls/certificate.pem', import.meta.url))

test.each([
  ['plain', false],
  ['secure', false],
  ['plain', true],
  ['secure', true],
] as const)(
  'fh sends every byte of a file in its place to a slow service: %s, behind a proxy: %s',
  async (kind, isProxied) => {
    const { [kind]: baseUrl, proxy, hashes, targets } = await slowService()
    const { fh, folder } = await createRig({ service: { baseUrl } })
    await writeFile(join(folder, 'large.jpg'), movingBytes)
    const through = isProxied ? ['--proxy', proxy] : []
    const ended = await fh(['upload', 'large.jpg', '--no-journal', '--ca-cert', certificate, ...through])
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('http') })
    expect(hashes).toEqual([expected])
    expect(targets[0]?.startsWith('CONNECT')).toBe(isProxied && kind === 'secure')
  },
)
