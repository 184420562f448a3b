import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { UploadIntent } from '../../../src/index.ts'
import { SqliteUploads } from '../../../src/store/sqlite-uploads.ts'
import { Claim, ClaimLostError } from '../../../src/uploads/claim.ts'
import { instantClock } from '../../helpers/instant-clock.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const content = { size: 3, sha256: 'abc' }
const intent: UploadIntent = { size: 3, mimeType: 'image/png', startedAt: 0, endedAt: null, knownSlugs: [] }
type Tools = ConstructorParameters<typeof Claim>[3]

/** Runs that share a state folder, which can be removed. */
function runsOfOneMachine() {
  const folder = temporaryFolder()
  const instant = instantClock()
  const hooks = { slept: async () => {} }
  const clock = {
    ...instant,
    async sleep(ms: number) {
      await instant.sleep(ms)
      await hooks.slept()
    },
  }
  const account = { address: 'http://h', keyHash: 'key' }
  const { signal } = new AbortController()
  const sending = {
    label: 'a.png',
    path: 'a.png',
    hash: async () => content.sha256,
    grace: { signal, allSent: () => false },
  }
  const open = () => new SqliteUploads({ path: join(folder, 'state', 'uploads.db'), account, clock, onProblem() {} })
  return {
    clock,
    hooks,
    other: open(),
    remove: () => rmSync(join(folder, 'state', 'uploads.db')),
    claimBy(comparison: object | undefined, sha256 = content.sha256, hash = content.sha256) {
      const listSearch = { find: async () => false }
      const tools = { store: open(), reconciler: {}, listSearch, comparison, context: { clock, note() {} } }
      const file = { ...sending, hash: async () => hash }
      return new Claim('/a.png', { ...content, sha256 }, file as never, tools as unknown as Tools)
    },
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))
const another = { path: '/b.png', ...content, isForced: false }

test('an upload under way ends where the store was removed and another run has claimed its content since', async () => {
  const { claimBy, other, remove, clock } = runsOfOneMachine()
  const [claim, forced] = [claimBy({}), claimBy(undefined)]
  await claim.outcomeOfOthers()
  for (const one of [claim, forced]) await one.intend(intent)
  remove()
  expect(await other.claim(another)).toMatchObject({ type: 'mine' })
  claim.look()
  await turn()
  expect(claim.signal.aborted).toBe(true)
  expect(claim.signal.reason).toBeInstanceOf(ClaimLostError)
  await clock.sleep(1_000)
  forced.look()
  await turn()
  expect(forced.signal.aborted).toBe(false)
})

test('a run that sends looks once a second whether it still has its claim', async () => {
  const { claimBy, other, remove, clock } = runsOfOneMachine()
  const claim = claimBy({})
  await claim.outcomeOfOthers()
  await claim.intend(intent)
  claim.look()
  remove()
  await other.claim(another)
  claim.look()
  await turn()
  expect(claim.signal.aborted).toBe(false)
  await clock.sleep(1_000)
  claim.look()
  await turn()
  expect(claim.signal.aborted).toBe(true)
})

test('a file whose hash is not known yet is hashed while it is sent, once another run waits for its content', async () => {
  const { claimBy, other, clock } = runsOfOneMachine()
  const claim = claimBy({}, '')
  await claim.outcomeOfOthers()
  await claim.intend(intent)
  const rival = { ...another, sha256: 'def' }
  expect(await other.claim(rival)).toMatchObject({ type: 'waits', holder: { path: '/a.png' } })
  await clock.sleep(1_000)
  claim.look()
  await turn()
  expect(await other.claim(rival)).toMatchObject({ type: 'mine' })
  expect(await other.claim(another)).toMatchObject({ type: 'waits' })
})

test.each(['def', ''])('a file that has the hash "%s" once others were waited for is claimed again', async (hash) => {
  const { claimBy, other, hooks } = runsOfOneMachine()
  const held = await other.claim(another)
  hooks.slept = () => other.notStored(held.type === 'mine' ? held.id : '')
  const waiting = claimBy({}, content.sha256, hash).outcomeOfOthers()
  await expect(waiting).rejects.toBeInstanceOf(ClaimLostError)
})

test('a claim that another run has overtaken in a store that was removed sends nothing', async () => {
  const { claimBy, other, remove } = runsOfOneMachine()
  const claim = claimBy({})
  await claim.outcomeOfOthers()
  remove()
  expect(await other.claim(another)).toMatchObject({ type: 'mine' })
  await expect(claim.intend(intent)).rejects.toBeInstanceOf(ClaimLostError)
})
