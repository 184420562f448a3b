// Makes a release with the binary of this machine, without publishing it, and runs the tests of the command line on it.
import { spawnSync } from 'node:child_process'
import { binaryOf, ownTarget } from './targets.mjs'

const target = ownTarget()
const options = {
  stdio: 'inherit',
  shell: process.platform === 'win32',
  env: { ...process.env, TEST_FH: binaryOf(target) },
}
for (const words of [['release', '--', '--dry-run', `--target=${target}`], ['test:programs']]) {
  const { status } = spawnSync('npm', ['run', ...words], options)
  if (status !== 0) process.exit(status ?? 1)
}
