import { expect } from 'vitest'
import { mediaPath, uploadObject } from '../helpers/media.ts'
import { createRig, fhCommand } from '../helpers/rig.ts'
import { answer, held, scriptedServer } from '../helpers/scripted-server.ts'
import { asItWas, openTerminal, terminalTest } from '../helpers/terminal.ts'

const files = ['upload', '-j', '1', mediaPath('photo.jpg'), mediaPath('picture.png')]

async function uploadRig(upload: object = uploadObject) {
  const first = held(201, { upload })
  const rig = await createRig({
    service: await scriptedServer(first.step, answer(201, { upload })),
    env: { FH_LIMITS: 'none' },
  })
  return { rig, first }
}

terminalTest('links that are longer than the terminal is wide are printed whole among the bars', async () => {
  const url = `https://files.example/${'long-'.repeat(30)}end`
  const { rig, first } = await uploadRig({ ...uploadObject, url })
  const terminal = openTerminal(rig, files, { columns: 60 })
  await first.reached
  await terminal.shows(/0\/2 uploaded/)
  first.release()
  expect((await terminal.ended).code).toBe(0)
  expect(terminal.paragraphs()).toEqual([url, url, '2 uploaded'])
  expect(terminal.state()).toEqual(asItWas)
})

terminalTest('with several links, each is followed by the name of its file', async () => {
  const { rig, first } = await uploadRig()
  const terminal = openTerminal(rig, files)
  await first.reached
  await terminal.shows(/0\/2 uploaded/)
  first.release()
  const { lines } = await terminal.ended
  expect(lines).toEqual([
    expect.stringMatching(`^${uploadObject.url}  .*photo\\.jpg$`),
    expect.stringMatching(`^${uploadObject.url}  .*picture\\.png$`),
    '2 uploaded',
  ])
})

terminalTest.each([
  ['its output is read through a pipe', '"$0" "$@" | cat'],
  ['it has the null device for input, as below xargs', '"$0" "$@" < /dev/null'],
])('no bars are drawn if others write to the terminal: %s', async (_, script) => {
  const { rig, first } = await uploadRig()
  const terminal = openTerminal(rig, [...files, '-v'], { command: ['sh', '-c', script, ...fhCommand] })
  await first.reached
  first.release()
  const { lines } = await terminal.ended
  expect(lines.filter((line) => line.startsWith('uploaded '))).toHaveLength(2)
  expect(lines.filter((line) => line === uploadObject.url)).toHaveLength(2)
  expect(terminal.raw()).not.toContain('\x1b[?25l')
})
