import { readdir, readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { uploadFields } from '../../src/cli/output/fields.ts'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { mediaPath } from '../helpers/media.ts'
import { createRig, type Ended, jsonLines } from '../helpers/rig.ts'
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

async function rigWithUpload() {
  const rig = await emulatedRig()
  const uploaded = await rig.fh(['upload', '--json', photo, 'missing.jpg'])
  return { ...rig, uploaded, slug: JSON.parse(uploaded.stdout)[0].upload.slug as string }
}

describe('the documents of --json are as docs/schema says', () => {
  test('the JSON output of every successful command matches its schema', async () => {
    const { fh, uploaded, slug } = await rigWithUpload()
    expectDocument('upload', uploaded)
    expectDocument('list', await fh(['list', '--json']))
    expectDocument('show', await fh(['show', '--json', slug]))
    expectDocument('stats', await fh(['stats', '--json']))
    expectDocument('download', await fh(['download', '--json', slug]))
    expectDocument('download', await fh(['download', '--json', slug]))
    expectDocument('api', await fh(['api', '--json', 'GET', 'stats']))
    expectDocument('api', await fh(['api', '--json', 'GET', 'uploads', '--paginate']))
    expectDocument('doctor', await fh(['doctor', '--json']))
    expectDocument('config-list', await fh(['config', 'list', '--json']))
    expectDocument('delete', await fh(['delete', '--json', '-n', slug]))
    expectDocument('delete', await fh(['delete', '--json', '--yes', slug, 'nothing123']))
  })

  test('the JSON output of a plan and of quota matches its schema', async () => {
    const { fh, write } = await emulatedRig()
    for (let number = 1; number <= 4; number += 1) await write(`${number}.jpg`, Buffer.from([0xff, 0xd8, 0xff, number]))
    expectDocument('plan', await fh(['upload', '-n', '--json', '1.jpg', '2.jpg', '3.jpg', '4.jpg', 'missing.jpg']))
    await write('folder/raw.dng', 'II*\0')
    expectDocument('plan', await fh(['upload', '-n', '--json', '-r', 'folder']))
    expectDocument('upload', await fh(['upload', '--json', '--fail-fast', '-j', '1', '-r', 'folder', 'gone', '1.jpg']))
    expectDocument('quota', await fh(['quota', '--json']))
    expectDocument('quota', await fh(['quota', '--json', '--limits', 'none']))
  })

  test('the JSON output of a command with a warning matches its schema', async () => {
    const { fh } = await emulatedRig()
    const ended = await fh(['list', '--json'], { env: { FH_STATE_DIR: '/dev/null/nowhere', FH_LIMITS: 'burst=20' } })
    expect(jsonLines(ended.stderr)).toMatchObject([{ type: 'warning' }])
    expectDocument('list', ended)
  })

  test('the JSON output without results matches its schema', async () => {
    const { fh } = await emulatedRig()
    const list = await fh(['list', '--json'])
    expectDocument('list', list)
    expect(JSON.parse(list.stdout)).toEqual([])
    expect((await fh(['list', '--jsonl'])).stdout).toBe('')
    expectDocument('api', await fh(['api', '--json', 'GET', 'uploads']))
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
    ['list', ['list']],
    ['show', ['show', 'a']],
    ['stats', ['stats']],
    ['upload', ['upload', photo]],
    ['delete', ['delete', '--yes', 'a']],
    ['download', ['download', 'a']],
    ['api', ['api', 'GET', 'stats']],
    ['doctor', ['doctor']],
    ['quota', ['quota']],
  ])('the JSON output of a failing %s matches its schema', async (schema, args) => {
    const unreachable = await createRig({ service: { baseUrl: 'http://127.0.0.1:1' } })
    const nothing = await createRig()
    for (const ended of [
      await unreachable.fh([...args, '--json', '--retries', '0']),
      await nothing.fh([...args, '--json']),
      await nothing.fh([...args, '--json', '--nope']),
    ]) {
      expectDocument(schema, ended)
    }
  })

  test('the ready line of an emulator matches its schema', async () => {
    const { start } = await createRig()
    const running = start(['emulate', '--json', '--port', '0'], { stdin: '' })
    expect(problems('emulate', JSON.parse(await running.printed('stdout', /\n/)))).toBe('')
    running.child.kill()
    await running.ended
  })

  test('the JSON output of the commands about fh itself matches its schema', async () => {
    const { fh } = await emulatedRig()
    expectDocument('help', await fh(['help', '--json']))
    expectDocument('help', await fh(['help', 'upload', '--json']))
    expectDocument('help', await fh(['help', 'exit-codes', '--json']))
    expectDocument('help', await fh(['help', 'nothing', '--json']))
    for (const args of [['--help'], ['-h'], ['upload', '--help'], ['config', 'set', '-h']])
      expectDocument('help', await fh([...args, '--json']))
    for (const args of [
      ['--version', '--json'],
      ['--json', '-V'],
      ['-V', '--jsonl'],
    ])
      expectDocument('version', await fh(args))
    expectDocument('completion', await fh(['completion', 'bash', '--json']))
    expectDocument('completion', await fh(['completion', 'csh', '--json']))
    expectDocument('config-path', await fh(['config', 'path', '--json']))
    expectDocument('config-set', await fh(['config', 'set', 'retries', '3', '--json']))
    expectDocument('config-set', await fh(['config', 'set', 'retries', '-x', '--json']))
    expectDocument('config-get', await fh(['config', 'get', 'retries', '--json']))
    expectDocument('config-get', await fh(['config', 'get', 'proxy', '--json']))
    expectDocument('config-profiles', await fh(['config', 'profiles', '--json']))
    expectDocument('config-use', await fh(['config', 'use', 'default', '--json']))
    expectDocument('config-use', await fh(['config', 'use', 'nope', '--json']))
    expectDocument('config-unset', await fh(['config', 'unset', 'retries', '--json']))
    expectDocument('logout', await fh(['logout', '--json']))
    expectDocument('login', await fh(['login', '--json']))
  })

  test('the JSON output of login and of emulate env and wait matches its schema', async () => {
    const { emulator, baseUrl } = await emulatedRig()
    const { fh } = await createRig()
    const stored = await fh(['login', '--json', '--with-key', '--base-url', baseUrl], { stdin: emulator.apiKey })
    expect(stored.code).toBe(0)
    expectDocument('login', stored)
    expectDocument('logout', await fh(['logout', '--json']))
    expectDocument('emulate-env', await fh(['emulate', 'env', baseUrl, '--json']))
    expectDocument('emulate-env', await fh(['emulate', 'env', 'http://127.0.0.1:1', '--json']))
    expectDocument('emulate-env', await fh(['emulate', 'env', '--nope', '--json']))
    expectDocument('emulate-wait', await fh(['emulate', 'wait', baseUrl, '--json']))
    expectDocument('emulate-wait', await fh(['emulate', 'wait', 'http://127.0.0.1:1', '--timeout', '1ms', '--json']))
  })

  test.each([
    [['--json']],
    [['--jsonl']],
    [['config', '--json']],
    [['nonsense', '--json']],
    [['--nope', '--json']],
    [['emulate', '--nope', '--json']],
  ])('the JSON output of %j, without a command, is null and one error', async (args) => {
    const { fh } = await createRig()
    const { code, stdout, stderr } = await fh(args)
    expect([code, stdout]).toEqual([2, args.includes('--jsonl') ? '' : 'null\n'])
    expect(jsonLines(stderr)).toMatchObject([{ type: 'error', code: 'usage' }])
  })

  test('every schema belongs to a command', () => {
    expect(names.map((name) => name.replace('.json', '')).sort()).toEqual([
      'api',
      'completion',
      'config-get',
      'config-list',
      'config-path',
      'config-profiles',
      'config-set',
      'config-unset',
      'config-use',
      'definitions',
      'delete',
      'doctor',
      'download',
      'emulate',
      'emulate-env',
      'emulate-wait',
      'error',
      'help',
      'list',
      'login',
      'logout',
      'plan',
      'quota',
      'show',
      'stats',
      'upload',
      'version',
      'warning',
    ])
  })
})

describe('--fields', () => {
  test('--fields of an upload prints these fields in this order', async () => {
    const { fh, slug } = await rigWithUpload()
    const { stdout } = await fh(['show', slug, '--json', '--fields', 'size,slug'])
    expect(stdout).toBe(`{"size":85049,"slug":"${slug}"}\n`)
    expect(Object.keys(JSON.parse((await fh(['list', '--json'])).stdout)[0])).toEqual([...uploadFields])
  })

  test('--fields of a record selects from the record and its upload', async () => {
    const { fh, slug } = await rigWithUpload()
    const { stdout } = await fh(['download', slug, 'nothing123', '--jsonl', '--fields', 'slug,path,mime_type,status'])
    expect(jsonLines(stdout)).toContainEqual({
      slug,
      path: 'photo.jpg',
      mime_type: 'image/jpeg',
      status: 'downloaded',
    })
    expect(jsonLines(stdout)).toContainEqual({ slug: 'nothing123', path: null, mime_type: null, status: 'failed' })
  })

  test('--fields of the statistics selects from statistics and quota', async () => {
    const { fh } = await emulatedRig()
    expect(JSON.parse((await fh(['stats', '--json', '--fields', 'uploads,cost'])).stdout)).toEqual({
      uploads: 0,
      cost: 1,
    })
  })
})
