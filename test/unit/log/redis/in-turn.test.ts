import { expect, test } from 'vitest'
import { createFleetTurns } from '../../../../src/log/redis/in-turn.ts'
import { FleetProblem } from '../../../../src/log/redis/redis-link.ts'

function failing(error: Error) {
  const inTurn = createFleetTurns()
  const counted = { calls: 0 }
  const call = () =>
    inTurn(async () => {
      counted.calls += 1
      throw error
    })
  return { call, counted }
}

test('calls that wait for one that Redis does not answer fail with it, and a later one tries again', async () => {
  const { call, counted } = failing(new FleetProblem('too-slow', 'Redis did not answer within 1 s'))
  const ended = await Promise.allSettled([call(), call(), call()])
  expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(counted.calls).toBe(1)
  await expect(call()).rejects.toThrow('within 1 s')
  expect(counted.calls).toBe(2)
})

test('an error of another kind is that of one call alone', async () => {
  const { call, counted } = failing(new TypeError('wrong'))
  await Promise.allSettled([call(), call()])
  expect(counted.calls).toBe(2)
})
