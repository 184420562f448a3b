import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { seedSchema } from '../../emulator/seed/seed.ts'
import { codeOf } from '../helpers/testing-page.ts'
import { runNode, userProject } from '../helpers/user-project.ts'

/** An example of README.md that uploads one file, as a reader may go on with it. */
function grown(example: string, uploads: string): string {
  expect(example).toContain("await client.upload('photo.jpg')\n")
  return example.replace("await client.upload('photo.jpg')\n", uploads)
}

const photo = await readFile('test/fixtures/media/photo.jpg')
const readme = await readFile('README.md', 'utf8')
const exampleWith = (text: string) =>
  [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => code).find((code) => code.includes(text)) ?? ''

test('the first example of the emulator in README.md ends by itself with twenty uploads at once', async () => {
  const uploads = "await Promise.all(Array.from({ length: 20 }, () => client.upload('photo.jpg')))\n"
  const code = grown(exampleWith("from 'filehost/emulator'"), uploads)
  const folder = userProject({ 'example.js': code, 'photo.jpg': photo })
  expect(await runNode(folder, 'example.js')).toEqual({ stdout: '', stderr: '' })
})

test('the examples for Vitest pass, with twenty uploads that of README.md', async () => {
  const uploads = "for (let count = 0; count < 20; count += 1) await client.upload('photo.jpg')\n"
  const code = grown(exampleWith("from 'filehost/vitest'"), uploads).replace('uploads: 1', 'uploads: 20')
  const folder = userProject({
    'page.test.js': codeOf('Vitest', 'js'),
    'sent.test.js': codeOf('What a program sent', 'js'),
    'expected.test.js': codeOf('What a program sent, by expect', 'js'),
    'readme.test.js': code,
    'photo.jpg': photo,
  })
  // One process for all four.
  const words = ['run', '--root', folder, '--no-isolate', '--maxWorkers=1', '--testTimeout=30000']
  const { stdout } = await runNode(folder, resolve('node_modules/vitest/vitest.mjs'), ...words)
  const passed = ['page.test.js (4 tests)', 'sent.test.js (1 test)', 'expected.test.js (1 test)']
  for (const each of [...passed, 'readme.test.js (1 test)']) expect(stdout).toContain(`✓ ${each}`)
})

const asking = `
const answer = await fetch('https://files.example/api/stats', { headers: { 'X-Api-Key': 'test-key' } })
console.log(answer.status)
server.close()`

test.each([
  ['MSW', asking, '200\n'],
  ['openapi-fetch', '', '0\n'],
])('the example for %s answers', async (section, more, said) => {
  const folder = userProject({ 'example.js': codeOf(section, 'js') + more })
  expect((await runNode(folder, 'example.js')).stdout).toBe(said)
})

test('the example of a seed is as the schema has it', () => {
  const isValid = new Ajv2020({ allowUnionTypes: true }).compile(seedSchema)
  expect(isValid(JSON.parse(codeOf('Seeds and states', 'json')))).toBe(true)
})

test('the package has the schema that seeds are checked by', async () => {
  expect(JSON.parse(await readFile('dist/seed.schema.json', 'utf8'))).toEqual(JSON.parse(JSON.stringify(seedSchema)))
})
