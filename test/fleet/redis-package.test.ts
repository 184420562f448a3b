import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { deadAddress } from '../helpers/dead-address.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const repository = join(import.meta.dirname, '../..')

/** Installs the link as a part of this package in a folder. @returns asks a port at which nothing listens; its problem */
async function installed(folder: string): Promise<() => Promise<unknown>> {
  const outfile = join(folder, 'node_modules/filehost/dist/link.mjs')
  const { host } = new URL(await deadAddress())
  const contents = `
    import { openRedisLink } from './src/fleet/redis-client-link.ts'
    import { systemClock } from './src/clock.ts'
    const link = openRedisLink({ url: 'redis://:hunter2@${host}', keys: [], clock: systemClock })
    const { kind, message, hint } = await link.send(['PING']).catch((error) => error)
    console.log(JSON.stringify({ kind, message, hint }))`
  const stdin = { contents, resolveDir: repository, loader: 'ts' } as const
  await build({ stdin, outfile, bundle: true, platform: 'node', format: 'esm', external: ['@redis/client'] })
  return async () => JSON.parse((await promisify(execFile)(process.execPath, [outfile])).stdout)
}

test('where no client of Redis is installed, the message says how to install it in this project', async () => {
  const folder = temporaryFolder()
  await writeFile(join(folder, 'package.json'), '{}')
  const ask = await installed(folder)
  expect(await ask()).toEqual({
    kind: 'package-missing',
    message: 'A ledger in Redis needs the package @redis/client, which is not installed',
    hint: 'Install it: npm i @redis/client',
  })
})

test('where this package is installed for all, the message says how to install a client of Redis beside it', async () => {
  expect(await (await installed(join(temporaryFolder(), 'lib')))()).toMatchObject({
    kind: 'package-missing',
    hint: 'Install it: npm i -g @redis/client',
  })
})

test.each(['@redis/client', 'redis'])('the package %s is taken as the client of Redis', async (name) => {
  const folder = temporaryFolder()
  const ask = await installed(folder)
  const place = join(folder, 'node_modules', name)
  await mkdir(join(place, '..'), { recursive: true })
  await symlink(join(repository, 'node_modules/@redis/client'), place)
  expect(await ask()).toMatchObject({ kind: 'unreachable' })
})

test('a client of Redis that is damaged is not taken for one that is missing', async () => {
  const folder = temporaryFolder()
  await writeFile(join(folder, 'package.json'), '{}')
  const ask = await installed(folder)
  const place = join(folder, 'node_modules/@redis/client')
  await mkdir(place, { recursive: true })
  await writeFile(join(place, 'index.js'), 'throw new Error("half of this file is missing")')
  expect(await ask()).toEqual({
    kind: 'failed',
    message: 'The package @redis/client cannot be loaded: half of this file is missing',
    hint: 'Install it again: npm i @redis/client',
  })
})
