import { expect } from 'vitest'
import { consumerTest } from './helpers/consumer-test.ts'

const document = 'node_modules/filehost/dist/openapi.json'

consumerTest(
  'validators find nothing wrong with filehost/openapi.json, and generated clients work',
  async ({ project }) => {
    const { run } = await project('openapi')
    const linted = await run('redocly', 'lint', document, '--format=json')
    expect(JSON.parse(linted.stdout)).toMatchObject({ totals: { errors: 0, warnings: 0, ignored: 0 } })
    expect((await run('node', 'validate.js')).stdout).toBe('{"valid":true}\n')
    await run('openapi-typescript', document, '--output', 'types.ts')
    await run('openapi-ts', '--input', document, '--output', 'generated', '--client', '@hey-api/client-fetch')
    await run('tsc')
    const bundled = ['--bundle', '--platform=node', '--format=esm', '--packages=external']
    await run('esbuild', 'typed.ts', 'upload.ts', ...bundled, '--target=node22', '--outdir=out')
    expect((await run('node', 'out/typed.js')).stdout).toBe('3 image/jpeg null true\n')
    expect((await run('node', 'out/upload.js')).stdout).toBe('photo.jpg 6 1 true true 0\n')
  },
)
