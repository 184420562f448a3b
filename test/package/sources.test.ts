import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

async function sources(...folders: readonly string[]): Promise<readonly (readonly [string, string])[]> {
  const found = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(folder, { recursive: true })
      return names.filter((name) => name.endsWith('.ts')).map((name) => join(folder, name))
    }),
  )
  return Promise.all(found.flat().map(async (path) => [path, await readFile(path, 'utf8')] as const))
}

test('only files named clock.ts read the time or set a timer', async () => {
  const clock = /\bDate\.now\(|new Date\(\)|performance\.now\(|(?<![.\w])set(Timeout|Interval)\(/
  const offenders = (await sources('src', 'emulator')).filter(
    ([path, text]) => !path.endsWith('clock.ts') && clock.test(text),
  )
  expect(offenders.map(([path]) => path)).toEqual([])
})

test('no test is skipped, marked as only or left to do', async () => {
  const marker = /\b(it|test|describe)[.](skip|only|todo)\b/
  expect((await sources('test')).filter(([, text]) => marker.test(text)).map(([path]) => path)).toEqual([])
})

test('no source has more than the 300 lines that CONTRIBUTING.md names, and most have 40 to 150', async () => {
  const lengths = (await sources('src', 'emulator')).map(([path, text]) => [path, text.split('\n').length - 1] as const)
  expect(lengths.filter(([, lines]) => lines > 300)).toEqual([])
  const usual = lengths.filter(([, lines]) => lines >= 40 && lines <= 150)
  expect(usual.length).toBeGreaterThan(lengths.length / 2)
})

test('npm publish checks and tests the package first', async () => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8'))
  expect(scripts.prepublishOnly).toBe('npm run check && npm test')
})
