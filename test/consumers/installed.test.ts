import { expect } from 'vitest'
import { consumerTest } from './helpers/consumer-test.ts'

consumerTest('a fresh project uploads a file with the installed package, and finds fh', async ({ project }) => {
  const { run } = await project('installed')
  expect((await run('node', 'upload.js')).stdout).toBe('image/png 70\n')
  expect((await run('fh', '--version')).stdout).toMatch(/\d+\.\d+\.\d+/)
})
