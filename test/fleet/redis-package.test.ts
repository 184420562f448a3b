import { writeFile } from 'node:fs/promises'
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
    kind: 'refused',
    message: 'A ledger in Redis needs the package @redis/client, which cannot be loaded',
    hint: 'Install it: npm i @redis/client',
  })
})

test('where this package is installed for all, the message says how to install a client of Redis beside it', async () => {
  const { run } = await asking(join(temporaryFolder(), 'lib'))
  expect(await run()).toMatchObject({ kind: 'refused', hint: 'Install it: npm i -g @redis/client' })
})
