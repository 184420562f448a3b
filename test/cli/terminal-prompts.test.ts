import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes, uploadObject } from '../helpers/media.ts'
import { createRig, fhCommand } from '../helpers/rig.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'
import { asItWas, openTerminal, terminalTest } from '../helpers/terminal.ts'

terminalTest('login does not prompt if CI is set, and says what to do instead', async () => {
  const rig = await createRig()
  const terminal = openTerminal(rig, ['login'], { env: { CI: 'true' } })
  const { code, lines } = await terminal.ended
  expect(code).toBe(4)
  expect(lines.join('\n')).toMatch(/FH_NO_INPUT or CI is set\n {2}Read the key from a file/)
})

terminalTest.each([
  [['a.jpg'], 'a.jpg', '\r', 0, 1],
  [['a.jpg', 'folder', '--format', 'direct'], 'a.jpg, folder', 'y\r', 0, 2],
  [['folder', '-q'], 'the folder folder', 'n\r', 1, 0],
  [['a.jpg'], 'a.jpg', '\x03', 130, 0],
])('fh %j asks whether to upload %s; %j ends it with %i', async (args, what, keys, exitCode, count) => {
  const rig = await emulatedRig()
  await rig.write('a.jpg', jpegBytes(500))
  await rig.write('folder/b.jpg', jpegBytes(501))
  const terminal = openTerminal(rig, args)
  await terminal.shows(new RegExp(`^Upload ${what}\\? \\[Y/n\\]$`))
  terminal.type(keys)
  const { code, lines } = await terminal.ended
  expect([code, rig.emulator.control.health().uploads], lines.join('\n')).toEqual([exitCode, count])
})

/** A service that has every upload, and deletes it. */
const deletions = () =>
  scriptedServer((request, response) => {
    const slug = request.url?.split('/').at(-1)
    const upload = { ...uploadObject, slug, created_at: '2020-03-01T09:30:12+02:00' }
    return answer(200, request.method === 'GET' ? { upload } : { deleted: true })(request, response)
  })

terminalTest.each([
  ['Yes\r', 0, 'deleted a1B2c3D4e5'],
  ['yesterday\r', 1, 'fh: Nothing was deleted'],
  ['\x03', 130, 'fh: interrupted'],
  ['\x04', 130, 'fh: interrupted'],
])('delete whose question is answered with %j ends with %d', async (keys, exitCode, said) => {
  const rig = await createRig({ service: await deletions() })
  const terminal = openTerminal(rig, ['delete', uploadObject.slug])
  await terminal.shows(
    /a1B2c3D4e5 {2}image\/jpeg {2}123 B {2}2020-03-01 07:30\nDelete 1 upload \(123 B\) for good\? \[y\/N\]$/,
  )
  terminal.type(keys)
  const { code, lines } = await terminal.ended
  expect([code, lines.at(-1)]).toEqual([exitCode, said])
  expect(terminal.state()).toEqual(asItWas)
})

/** Runs fh with a list of two slugs as its standard input, and then asks the terminal for its state. */
async function deletingList() {
  const server = await deletions()
  const rig = await createRig({ service: server })
  await rig.write('list', 'a1B2c3D4e5\thttp://h/i/a1B2c3D4e5\nzZ9yY8xX7w\n')
  const fh = `sh -c 'echo $$ > pid; exec "$0" "$@" < list' "$0" "$@"`
  const script = `${fh}; echo "ended with $?"; stty -a | grep -o -e "-\\{0,1\\}icanon" -e "-\\{0,1\\}echo\\b"`
  const command = ['sh', '-c', script, ...fhCommand]
  const terminal = openTerminal(rig, ['delete', '--from-stdin'], { command })
  await terminal.shows(/Delete 2 uploads \(246 B\) for good\? \[y\/N\]$/)
  const pid = Number(readFileSync(join(rig.folder, 'pid'), 'utf8'))
  return { ...terminal, pid, deleted: () => server.requests.filter(({ method }) => method === 'DELETE').length }
}

terminalTest.each([
  ['y\r', 0, 2],
  ['\x03', 130, 0],
  ['SIGTERM', 143, 0],
])(
  'delete --from-stdin asks at the terminal; %j ends it with %d, the terminal as it was',
  async (answered, code, count) => {
    const terminal = await deletingList()
    if (answered === 'SIGTERM') process.kill(terminal.pid, 'SIGTERM')
    else terminal.type(answered)
    const { lines } = await terminal.ended
    expect(lines.slice(-3)).toEqual([`ended with ${code}`, 'icanon', 'echo'])
    expect([terminal.state(), terminal.deleted()]).toEqual([asItWas, count])
  },
)

terminalTest('fh leaves the terminal to the reader of its pipe, which may have set it up for keys', async () => {
  const { promise: isSet, resolve: goOn } = Promise.withResolvers<void>()
  const twoPages = { last_page: 2, per_page: 1, total: 2 }
  const page = (current: number) =>
    answer(200, { ...twoPages, current_page: current, data: [{ ...uploadObject, slug: `s${current}` }] })
  const server = await scriptedServer(page(1), async (request, response) => {
    await isSet
    await page(2)(request, response)
  })
  const reader =
    'read -r line; stty -echo < /dev/tty; echo ready; cat; stty -a < /dev/tty | grep -o -e "-\\{0,1\\}echo\\b"'
  const command = ['sh', '-c', `"$0" "$@" | { ${reader}; }`, ...fhCommand]
  const terminal = openTerminal(await createRig({ service: server }), ['list', '--all'], { command })
  await terminal.shows(/^ready$/m)
  goOn()
  expect(await terminal.ended).toMatchObject({ lines: ['ready', expect.stringMatching(/^s2\s/), '-echo'] })
})
