import { expect, test } from 'vitest'
import { createKeyedMutex } from '../../../../src/client/exactly-once/keyed-mutex.ts'

async function entered(entering: Promise<() => void>): Promise<boolean> {
  const late = new Promise((resolve) => setImmediate(() => resolve('late')))
  return (await Promise.race([entering, late])) !== 'late'
}

test('what looks the same enters when those before it have left, in order', async () => {
  const gate = createKeyedMutex()
  const leave = await gate.acquire('a')
  const [second, third] = [gate.acquire('a'), gate.acquire('a')]
  expect(await entered(second)).toBe(false)
  leave()
  const leaveSecond = await second
  expect(await entered(third)).toBe(false)
  leaveSecond()
  expect(await entered(third)).toBe(true)
})

test('what looks different enters at once', async () => {
  const gate = createKeyedMutex()
  await gate.acquire('a')
  expect(await entered(gate.acquire('b'))).toBe(true)
})

test('one that gives up waiting lets nobody past those before it', async () => {
  const gate = createKeyedMutex()
  const leave = await gate.acquire('a')
  const controller = new AbortController()
  const second = gate.acquire('a', controller.signal)
  const third = gate.acquire('a')
  controller.abort()
  await expect(second).rejects.toMatchObject({ name: 'AbortError' })
  expect(await entered(third)).toBe(false)
  leave()
  expect(await entered(third)).toBe(true)
})

test('an empty gate lets in what comes later', async () => {
  const gate = createKeyedMutex()
  for (let count = 0; count < 3; count += 1) (await gate.acquire('a'))()
  expect(await entered(gate.acquire('a'))).toBe(true)
})
