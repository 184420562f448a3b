// Runners with one folder of pictures, of which any is killed and started again.

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writePictures } from '../pictures.mjs'
import { openLine } from './line.mjs'
import { startRedis } from './redis-server.mjs'
import { startRunner } from './runner.mjs'
import { startService } from './service.mjs'

/** Much of it, so that a run is short. */
const limits = 'burst=60,minute=300,hour=none,day=none'
/** Of one runner, until it is killed again. */
const MOST_RUNS = 5
/** What a run ends with that has lost Redis: the same command goes on (docs/fleet.md). */
const goesOn = [5, 8]
/** So long that signals find uploads under way. */
const answerMs = 1_000

export async function startFleet(belongings, { files, runners }) {
  const redis = await startRedis(belongings)
  const service = await startService(belongings, ['--quota', limits])
  await service.delayUploads(answerMs)
  const pictures = await writePictures(belongings.folder, files)
  const paths = pictures.map(({ path }) => path)
  const states = Array.from({ length: runners }, (_, index) => join(belongings.folder, `state-${index}`))
  const lines = await Promise.all(states.map(() => openLine(belongings, redis.port)))
  const running = []

  /** Resolves with how the runner ended, which goes on where Redis had forgotten. */
  function start(index, left = MOST_RUNS) {
    const state = states[index]
    const run = startRunner(belongings, service, { paths, state, ledger: lines[index].url, limits })
    const outcome = run.ended.then((result) =>
      left > 0 && goesOn.includes(result.code) ? start(index, left - 1) : result,
    )
    running[index] = { ...run, outcome }
    return outcome
  }
  for (const index of states.keys()) void start(index)

  return {
    redis,
    service,
    pictures,
    /** Those that have not ended. */
    active: () => [...states.keys()].filter((index) => running[index].child.exitCode === null),
    /** Kills a runner and starts it again at once, if asked to as a fresh container without its state folder. */
    async restart(index, { fresh }) {
      const { child, ended } = running[index]
      child.kill('SIGKILL')
      await ended
      if (fresh) await rm(states[index], { recursive: true, force: true })
      void start(index)
    },
    /** Resolves with how the last process of each runner ended. */
    results: () => Promise.all(running.map(({ outcome }) => outcome)),
  }
}
