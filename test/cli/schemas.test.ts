import { readdir, readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { uploadFields } from '../../src/cli/output/fields.ts'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { mediaPath } from '../helpers/media.ts'
import { stillTime } from '../helpers/preload.ts'
import { createRig, type Ended, jsonLines, type Rig } from '../helpers/rig.ts'
import { runningEmulator } from '../helpers/running-emulator.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'

const folder = new URL('../../docs/schema/', import.meta.url)
const names = (await readdir(folder)).filter((name) => name.endsWith('.json'))
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true })
for (const name of names) ajv.addSchema(JSON.parse(await readFile(new URL(name, folder), 'utf8')))

/** Why a value is not what a schema says; empty where it is. */
function problems(schema: string, value: unknown): string {
  const validate = ajv.getSchema(`${schema}.json`)
  if (validate === undefined) throw new Error(`There is no schema ${schema}`)
  return validate(value) ? '' : `${ajv.errorsText(validate.errors)}: ${JSON.stringify(value)}`
}

function expectDocument(schema: string, { stdout, stderr }: Ended): void {
  expect(problems(schema, JSON.parse(stdout))).toBe('')
  for (const line of jsonLines(stderr)) expect(problems(String(line['type']), line)).toBe('')
}

const photo = mediaPath('photo.jpg')

/** Runs commands one after the other: the schema, and the words. */
async function expectDocuments(fh: Rig['fh'], rows: readonly (readonly [schema: string, words: string])[]) {
  for (const [schema, words] of rows) expectDocument(schema, await fh([...words.split(' '), '--json']))
}

test('the JSON output of commands with uploads matches its schema', async () => {
  const { fh, baseUrl } = await emulatedRig()
  expectDocument('api', await fh(['api', '--json', 'GET', 'uploads']))
  const uploaded = await fh(['upload', '--json', photo, 'missing.jpg'])
  expectDocument('upload', uploaded)
  const slug = JSON.parse(uploaded.stdout)[0].upload.slug as string
  await expectDocuments(fh, [
    ['list', 'list'],
    ['show', `show ${slug}`],
    ['show', `show ${slug} nothing123`],
    ['stats', 'stats'],
    ['download', `download ${slug}`],
    ['download', `download ${slug}`],
    ['api', 'api GET stats'],
    ['api', 'api GET uploads --paginate'],
    ['doctor', 'doctor'],
    ['config-list', 'config list'],
    ['delete', `delete -n ${slug}`],
    ['delete', `delete --yes ${slug} nothing123`],
    ['emulate-env', `emulate env ${baseUrl}`],
    ['emulate-env', 'emulate env http://127.0.0.1:1'],
    ['emulate-env', 'emulate env --nope'],
    ['emulate-wait', `emulate wait ${baseUrl}`],
    ['emulate-wait', 'emulate wait http://127.0.0.1:1 --timeout 1ms'],
  ])
})

test('the JSON output of a plan and of quota matches its schema', async () => {
  const { fh, write } = await emulatedRig()
  for (let number = 1; number <= 4; number += 1) await write(`${number}.jpg`, Buffer.from([0xff, 0xd8, 0xff, number]))
  await write('folder/raw.dng', 'II*\0')
  await expectDocuments(fh, [
    ['plan', 'upload -n 1.jpg 2.jpg 3.jpg 4.jpg missing.jpg'],
    ['plan', 'upload -n -r folder'],
    ['upload', 'upload --fail-fast -j 1 -r folder gone 1.jpg'],
    ['quota', 'quota'],
    ['quota', 'quota --limits none'],
  ])
})

test('the JSON output of a command with a warning and without results matches its schema', async () => {
  const { fh } = await emulatedRig()
  const ended = await fh(['list', '--json'], { env: { FH_STATE_DIR: '/dev/null/nowhere', FH_LIMITS: 'burst=20' } })
  expect([JSON.parse(ended.stdout), jsonLines(ended.stderr)]).toMatchObject([[], [{ type: 'warning' }]])
  expectDocument('list', ended)
  expect((await fh(['list', '--jsonl'])).stdout).toBe('')
})

test('a wait is a line on stderr that matches its schema, when it begins', async () => {
  const limited = answer(429, { error: 'Burst limit exceeded. Slow down.' }, { 'Retry-After': '4' })
  const { start } = await createRig({ service: await scriptedServer(limited), env: stillTime })
  const running = start(['list', '--jsonl'], { stdin: '' })
  const [wait] = jsonLines(await running.printed('stderr', /\n/))
  expect([problems('wait', wait), wait]).toMatchObject(['', { window: 'burst', source: 'retry-after' }])
  running.child.kill()
  await running.ended
})

test('the JSON output of a list that cannot be read is null', async () => {
  const { fh } = await createRig({ service: await scriptedServer(answer(503, { error: 'API disabled.' })) })
  for (const args of [['list'], ['list', '--all'], ['list', '--limit', '3']]) {
    const refused = await fh([...args, '--json', '--retries', '0', '--no-wait'])
    expect([refused.code, refused.stdout]).toEqual([5, 'null\n'])
    expectDocument('list', refused)
  }
})

test.each([
  'list',
  'show a',
  'stats',
  `upload ${photo}`,
  'delete --yes a',
  'download a',
  'api GET stats',
  'doctor',
  'quota',
])('the JSON output of a failing fh %s matches its schema', async (words) => {
  const [schema = ''] = words.split(' ')
  const unreachable = await createRig({ service: { baseUrl: 'http://127.0.0.1:1' } })
  await expectDocuments(unreachable.fh, [[schema, `${words} --retries 0`]])
  await expectDocuments((await createRig()).fh, [
    [schema, words],
    [schema, `${words} --nope`],
  ])
})

test('the ready line of an emulator matches its schema', async () => {
  expect(problems('emulate', (await runningEmulator()).ready)).toBe('')
})

test('the JSON output of the commands about fh itself matches its schema', async () => {
  const { fh } = await emulatedRig()
  await expectDocuments(fh, [
    ['help', 'help'],
    ['help', 'help upload'],
    ['help', 'help nothing'],
    ['help', '-h'],
    ['help', 'config set --help'],
    ['version', '--version'],
    ['completion', 'completion bash'],
    ['completion', 'completion csh'],
    ['config-path', 'config path'],
    ['config-set', 'config set retries 3'],
    ['config-set', 'config set retries -x'],
    ['config-get', 'config get retries'],
    ['config-get', 'config get proxy'],
    ['config-profiles', 'config profiles'],
    ['config-use', 'config use default'],
    ['config-use', 'config use nope'],
    ['config-unset', 'config unset retries'],
    ['logout', 'logout'],
    ['login', 'login'],
  ])
  expectDocument('version', await fh(['--json', '-V']))
  expectDocument('version', await fh(['-V', '--jsonl']))
})

test('the JSON output of a login, and of the logout after it, matches its schema', async () => {
  const { emulator, baseUrl } = await emulatedRig()
  const { fh } = await createRig()
  const stored = await fh(['login', '--json', '--with-key', '--base-url', baseUrl], { stdin: emulator.apiKey })
  expect(stored.code).toBe(0)
  expectDocument('login', stored)
  expectDocument('logout', await fh(['logout', '--json']))
})

test.each([
  [['--json']],
  [['--jsonl']],
  [['config', '--json']],
  [['nonsense', '--json']],
  [['emulate', '--nope', '--json']],
])('the JSON output of %j, without a command, is null and one error', async (args) => {
  const { fh } = await createRig()
  const { code, stdout, stderr } = await fh(args)
  expect([code, stdout]).toEqual([2, args.includes('--jsonl') ? '' : 'null\n'])
  expect(jsonLines(stderr)).toMatchObject([{ type: 'error', code: 'usage' }])
})

test('every schema belongs to a command', () => {
  const ofConfig = ['get', 'list', 'path', 'profiles', 'set', 'unset', 'use'].map((word) => `config-${word}`)
  const others = 'delete doctor download emulate emulate-env emulate-wait error help list login logout plan quota'
  const last = 'show stats upload version wait warning'
  expect(names.map((name) => name.replace('.json', '')).sort()).toEqual([
    'api',
    'completion',
    ...ofConfig,
    'definitions',
    ...others.split(' '),
    ...last.split(' '),
  ])
})

test('--fields selects from a record and its upload; without it an upload has all fields in the order of the service', async () => {
  const { fh } = await emulatedRig()
  const slug = (await fh(['upload', photo, '--format', 'slug'])).stdout.trim()
  const { stdout } = await fh(['download', slug, 'nothing123', '--jsonl', '--fields', 'slug,path,mime_type,status'])
  expect(jsonLines(stdout)).toEqual(
    expect.arrayContaining([
      { slug, path: 'photo.jpg', mime_type: 'image/jpeg', status: 'downloaded' },
      { slug: 'nothing123', path: null, mime_type: null, status: 'failed' },
    ]),
  )
  expect(Object.keys(JSON.parse((await fh(['list', '--json'])).stdout)[0])).toEqual([...uploadFields, 'name'])
  expect((await fh(['stats', '--json', '--fields', 'uploads,cost'])).stdout).toBe('{"uploads":1,"cost":1}\n')
})

test('stats prints the names that --fields takes, and stats and quota as rows', async () => {
  const { fh } = await emulatedRig()
  const namesOf = ({ stdout }: Ended) => stdout.trimEnd().replace(/\t.*$/gm, '').split('\n')
  const names = namesOf(await fh(['stats']))
  expect(names).toEqual(['uploads', 'albums', 'total_views', 'api_requests', 'limit', 'remaining', 'reset_at', 'cost'])
  for (const fields of [names.join(), 'stats,quota']) {
    const ended = await fh(['stats', '--fields', fields])
    expect([ended.code, namesOf(ended)]).toEqual([0, names])
  }
})
