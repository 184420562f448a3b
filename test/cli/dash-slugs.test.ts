import { expect, test } from 'vitest'
import { uploadObject } from '../helpers/media.ts'
import { createRig } from '../helpers/rig.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'

const slug = '-ZPKQ4vTq0_hY-sbL2m9x'

test.each([
  ['show', slug],
  ['delete', '--yes', slug],
  ['delete', '--yes', '--PKQ4vTq0hYsbL2m9x00'],
  ['download', slug],
])('fh %s takes a slug that begins with a dash after --, and says so where that is missing', async (...args) => {
  const service = await scriptedServer(answer(200, { upload: { ...uploadObject, slug }, deleted: true }))
  const { fh } = await createRig({ service })
  const dashed = args.at(-1) ?? ''
  const stderr = expect.stringContaining(`fh ${args[0]} -- ${dashed}`)
  expect(await fh(args)).toMatchObject({ code: 2, stderr })
  expect(service.requests).toEqual([])
  await fh([...args.slice(0, -1), '--', dashed])
  expect(service.requests[0]?.url).toBe(`/api/uploads/${dashed}`)
})
