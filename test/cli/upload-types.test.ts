import { expect, test } from 'vitest'
import { mediaFiles, mediaPath, uploadObject } from '../helpers/media.ts'
import { createRig } from '../helpers/rig.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'

test('fh sends a file of every accepted type with its type', async () => {
  const stored = mediaFiles.map((_, index) => answer(201, { upload: { ...uploadObject, slug: `slug${index}` } }))
  const server = await scriptedServer(...stored)
  const rig = await createRig({ service: server, env: { FH_LIMITS: 'none' } })
  const paths = mediaFiles.map(([name]) => mediaPath(name))
  expect(await rig.fh(['upload', '-j', '1', '--no-journal', ...paths])).toMatchObject({ code: 0 })
  const types = server.requests.map(({ body }) => /^Content-Type: (.*)\r$/m.exec(body.toString('latin1'))?.[1])
  expect(types).toEqual(mediaFiles.map(([, type]) => type))
})
