import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { seedSchema } from '../../emulator/seed/schema.ts'
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

test.each([
  ['two more uploads', "await client.upload('photo.jpg')\n".repeat(3)],
  ['twenty uploads at once', "await Promise.all(Array.from({ length: 20 }, () => client.upload('photo.jpg')))\n"],
])('the first example of the emulator in README.md ends by itself with %s', async (_, uploads) => {
  const code = grown(exampleWith("from 'filehost/emulator'"), uploads)
  const folder = await userProject({ 'example.js': code, 'photo.jpg': photo })
  expect(await runNode(folder, 'example.js')).toEqual({ stdout: '', stderr: '' })
})

test('the examples for Vitest pass, with twenty uploads that of README.md', async () => {
  const uploads = "for (let count = 0; count < 20; count += 1) await client.upload('photo.jpg')\n"
  const code = grown(exampleWith("from 'filehost/vitest'"), uploads).replace('uploads: 1', 'uploads: 20')
  const folder = await userProject({
    'page.test.js': codeOf('Vitest', 'js'),
    'sent.test.js': codeOf('What a program sent', 'js'),
    'expected.test.js': codeOf('What a program sent, by expect', 'js'),
    'readme.test.js': code,
    'photo.jpg': photo,
  })
  // One process for all four.
  const words = ['run', '--root', folder, '--no-isolate', '--maxWorkers=1']
  const { stdout } = await runNode(folder, resolve('node_modules/vitest/vitest.mjs'), ...words)
  for (const passed of [
    'page.test.js (4 tests)',
    'sent.test.js (2 tests)',
    'expected.test.js (1 test)',
    'readme.test.js (1 test)',
  ])
    expect(stdout).toContain(`✓ ${passed}`)
})

test('the example for MSW answers', async () => {
  const asking = `
const answer = await fetch('https://files.example/api/stats', { headers: { 'X-Api-Key': 'test-key' } })
console.log(answer.status)
server.close()`
  const folder = await userProject({ 'example.js': codeOf('MSW', 'js') + asking })
  expect((await runNode(folder, 'example.js')).stdout).toBe('200\n')
})

test('the example for openapi-fetch answers', async () => {
  const folder = await userProject({ 'example.js': codeOf('openapi-fetch', 'js') })
  expect((await runNode(folder, 'example.js')).stdout).toBe('0\n')
})

test('the example of a seed is as the schema has it', () => {
  expect(
    new Ajv2020({ allowUnionTypes: true }).validate(seedSchema, JSON.parse(codeOf('Seeds and states', 'json'))),
  ).toBe(true)
})

test('the package has the schema that seeds are checked by', async () => {
  expect(JSON.parse(await readFile('dist/seed.schema.json', 'utf8'))).toEqual(JSON.parse(JSON.stringify(seedSchema)))
})
