import { expect, test } from 'vitest'
import { createKeyedMutex } from '../../../../src/client/exactly-once/keyed-mutex.ts'

async function entered(entering: Promise<() => void>): Promise<boolean> {
  const late = new Promise((resolve) => setImmediate(() => resolve('late')))
  return (await Promise.race([entering, late])) !== 'late'
}

test('holders of one key get it in order, each after the one before has released it; another key is free', async () => {
  const mutex = createKeyedMutex()
  const release = await mutex.acquire('a')
  const [second, third] = [mutex.acquire('a'), mutex.acquire('a')]
  expect(await entered(second)).toBe(false)
  release()
  const releaseSecond = await second
  expect(await entered(third)).toBe(false)
  releaseSecond()
  expect(await entered(third)).toBe(true)
  expect(await entered(mutex.acquire('b'))).toBe(true)
})

test('a waiter that is aborted lets no later one past those before it', async () => {
  const mutex = createKeyedMutex()
  const release = await mutex.acquire('a')
  const controller = new AbortController()
  const second = mutex.acquire('a', controller.signal)
  const third = mutex.acquire('a')
  controller.abort()
  await expect(second).rejects.toMatchObject({ name: 'AbortError' })
  expect(await entered(third)).toBe(false)
  release()
  expect(await entered(third)).toBe(true)
})
