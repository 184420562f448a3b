import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { deadAddress } from '../helpers/dead-address.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { type LinkProgram, linkProgram } from './link-program.ts'

/** A program in the folder that asks a port at which nothing listens, and prints the problem. */
async function asking(folder: string): Promise<LinkProgram> {
  const { host } = new URL(await deadAddress())
  return linkProgram(folder, `tell(await problemOf(open('redis://:hunter2@${host}').run('return 1', [])))`)
}

async function project(): Promise<string> {
  const folder = temporaryFolder()
  await writeFile(join(folder, 'package.json'), '{}')
  return folder
}

test('where no client of Redis is installed, the message says how to install it in this project', async () => {
  const { run } = await asking(await project())
  expect(await run()).toEqual({
    kind: 'package-missing',
    message: 'A ledger in Redis needs the package @redis/client, which is not installed',
    hint: 'Install it: npm i @redis/client',
  })
})

test('where this package is installed for all, the message says how to install a client of Redis beside it', async () => {
  const { run } = await asking(join(temporaryFolder(), 'lib'))
  expect(await run()).toMatchObject({ kind: 'package-missing', hint: 'Install it: npm i -g @redis/client' })
})

test.each(['@redis/client', 'redis'])('the package %s is taken as the client of Redis', async (name) => {
  const { run, installClient } = await asking(await project())
  await installClient(name)
  expect(await run()).toMatchObject({ kind: 'unreachable' })
})

test('a client of Redis that is damaged is not taken for one that is missing', async () => {
  const folder = await project()
  const { run } = await asking(folder)
  const place = join(folder, 'node_modules/@redis/client')
  await mkdir(place, { recursive: true })
  await writeFile(join(place, 'index.js'), 'throw new Error("half of this file is missing")')
  expect(await run()).toEqual({
    kind: 'failed',
    message: 'The package @redis/client cannot be loaded: half of this file is missing',
    hint: 'Install it again: npm i @redis/client',
  })
})
