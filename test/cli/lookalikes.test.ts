import { describe, expect, test } from 'vitest'
import type { Fault } from '../../emulator/index.ts'
import { type FilledRig, filledRig, lookalike } from '../helpers/lookalike-rig.ts'
import { type Step, scriptedServer } from '../helpers/scripted-server.ts'
import { until } from '../helpers/until.ts'

/** The answer comes too late: the upload is stored when the run is killed. */
const unheard = { type: 'slow_body', ms: 60_000 } as const
/** The service does not serve a client that leaves first: the upload is not stored. */
const unserved = { type: 'delay', ms: 60_000 } as const

/** Two runs that send side by side: each compares the contents of its files, which have one size, before it sends. */
const halves = ({ files }: FilledRig) => [files.slice(0, files.length / 2), files.slice(files.length / 2)]
const firsts = (rig: FilledRig) => halves(rig).map(([first = '']) => first)

/** Starts a run for each group of files, and kills them while each is sending a file that comes to this end. */
async function kill(
  rig: FilledRig,
  groups: readonly (readonly string[])[],
  ends: readonly Fault['action'][],
  env: Readonly<Record<string, string>> = {},
) {
  const before = rig.stored()
  await rig.lose(...ends)
  const runs = groups.map((files) => rig.start(['upload', '-j', '1', ...files], { env }))
  const stored = ends.filter(({ type }) => type === 'slow_body').length
  await until(() => rig.struck() === ends.length && rig.stored() - before >= stored)
  for (const { child } of runs) child.kill('SIGKILL')
  await Promise.all(runs.map(({ ended }) => ended))
  await rig.lose()
}

/** A service that the emulator is behind. */
async function serviceBefore({ emulator }: FilledRig, change: (request: Request) => Promise<Request | undefined>) {
  const forward: Step = async (message, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of message) chunks.push(chunk)
    const { method = 'GET', headers, url } = message
    const sent = new Request(`http://${headers.host}${url}`, {
      method,
      headers: headers as Record<string, string>,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    const request = await change(sent)
    if (request === undefined) return void message.socket.resetAndDestroy()
    const answer = await emulator.fetch(request)
    const body = await answer.arrayBuffer().catch(() => undefined)
    if (body) response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(body))
  }
  const server = await scriptedServer(forward)
  return { ...server, env: { FH_BASE_URL: server.baseUrl } }
}

describe('lost uploads of one size and type', () => {
  test('twelve of them are all stored once after four kills in a row, with a link each and no view counted', async () => {
    const rig = await filledRig(12)
    // Stored or not, of each of the two runs.
    for (const ends of ['ss', 'su', 'uu', 'us']) {
      const actions = [...ends].map((end) => (end === 's' ? unheard : unserved))
      await kill(rig, halves(rig), actions)
    }
    const { code, stdout, stderr } = await rig.fh(['upload', ...rig.files])
    expect(stderr).toMatch(
      /(was|were) being sent when an earlier run ended: checking whether (it was|they were) stored \(5 s\)\n/,
    )
    expect(code).toBe(0)
    expect(new Set(stdout.trimEnd().split('\n')).size).toBe(12)
    expect([rig.stored(), await rig.views()]).toEqual([12, 0])
  })

  test('two lost uploads of one content each take one of two stored ones', async () => {
    const rig = await filledRig(1)
    const forced = [...rig.files, '--force']
    await kill(rig, [forced, forced], [unheard, unheard])
    expect([rig.stored(), await rig.open()]).toEqual([2, 2])
    const { code, stdout } = await rig.fh(['upload', ...rig.files])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^http\S+\n$/)])
    expect([rig.stored(), await rig.open(), await rig.views()]).toEqual([2, 0, 0])
  })

  test('a lost file that came from standard input is recognised when it comes again', async () => {
    const rig = await filledRig(2)
    const piped = { stdin: lookalike(77) }
    // So it is known that the service keeps files as they are.
    await rig.fh(['upload', ...rig.files.slice(1)])
    await rig.lose(unserved, unheard)
    const runs = [rig.start(['upload', ...rig.files])]
    await until(() => rig.struck() === 1)
    runs.push(rig.start(['upload', '-', '--name', 'in.jpg'], piped))
    await until(() => rig.stored() === 2)
    for (const { child } of runs) child.kill('SIGKILL')
    await Promise.all(runs.map(({ ended }) => ended))
    await rig.lose()
    const again = await rig.fh(['upload', '-', ...rig.files, '--name', 'in.jpg'], piped)
    expect([again.code, rig.stored(), await rig.views()]).toEqual([0, 3, 0])
  })

  test('a service that re-encodes files leaves them unknown, and its files are not looked at', async () => {
    const rig = await filledRig(4, { settings: { reencode: true } })
    await kill(rig, halves(rig), [unheard, unheard])
    const { code, stderr } = await rig.fh(['upload', ...firsts(rig), '--debug'])
    expect([code, rig.stored()]).toEqual([8, 2])
    expect(stderr).not.toMatch(/^> GET \S*\/i\//m)
  })
})

test('an upload whose answer is lost while others store files that look like it has the link of the file with its bytes', async () => {
  const rig = await filledRig(2)
  let uploads = 0
  const service = await serviceBefore(rig, async (request) => {
    if (request.method === 'POST') uploads += 1
    if (request.method !== 'POST' || uploads !== 2) return request
    for (const number of [101, 102]) await rig.stranger.upload(lookalike(number))
    await rig.emulator.fetch(request)
    return undefined
  })
  const { code, stdout } = await rig.fh(['upload', '-j', '1', ...rig.files, '--json'], { env: service.env })
  expect([code, rig.stored(), await rig.views()]).toEqual([0, 4, 0])
  const answer = await rig.emulator.fetch(new Request(JSON.parse(stdout)[1].upload.direct_url))
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(lookalike(1))
})
