import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { mediaPath, uploadObject } from '../helpers/media.ts'
import { createRig } from '../helpers/rig.ts'
import { answer, held, scriptedServer } from '../helpers/scripted-server.ts'
import { openTerminal, terminalTest } from '../helpers/terminal.ts'

const stored = { upload: uploadObject }

terminalTest('an upload that waits for another file of the same size says so', async () => {
  const first = held(201, stored)
  const server = await scriptedServer(first.step, answer(201, stored))
  const rig = await createRig({ service: server, env: { FH_LIMITS: 'none' } })
  for (const name of ['one.jpg', 'two.jpg']) await copyFile(mediaPath('photo.jpg'), join(rig.folder, name))
  const terminal = openTerminal(rig, ['upload', '-j', '2', 'one.jpg', 'two.jpg'])
  await first.reached
  await terminal.shows(/(one|two)\.jpg +waiting: a file of the same size is being sent/)
  first.release()
  expect((await terminal.ended).code).toBe(0)
})
