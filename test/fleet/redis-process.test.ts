import { rootCertificates } from 'node:tls'
import { expect, test } from 'vitest'
import { redisUrl, startRedis } from '../helpers/redis-server.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { tlsFiles } from '../helpers/tls.ts'
import { linkProgram } from './link-program.ts'

test('a process with an idle connection to Redis ends by itself, and one with a call under way ends after it', async () => {
  const url = await redisUrl()
  const body = `
    const link = open('${url}')
    await link.run('return 1', [])
    link.run('return ARGV[1]', ['done']).then(tell)`
  const { run, installClient } = await linkProgram(temporaryFolder(), body)
  await installClient()
  expect(await run()).toBe('done')
})

test('NODE_EXTRA_CA_CERTS counts for Redis over TLS, alone and besides other authorities', async () => {
  const { url } = await startRedis({ isTls: true })
  const body = `
    const ask = (options) => problemOf(open('${url}', options).run('return 1', []))
    tell([await ask({}), await ask({ ca: ${JSON.stringify(rootCertificates[0])} })])`
  const { run, installClient } = await linkProgram(temporaryFolder(), body)
  await installClient()
  expect(await run({ NODE_EXTRA_CA_CERTS: tlsFiles.cert })).toEqual([1, 1])
  expect(await run()).toMatchObject([{ kind: 'refused' }, { kind: 'refused' }])
})
