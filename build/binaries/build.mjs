// Makes `binaries/fh-<target>` of the targets that are named, of all without one: npm run build:binaries -- --target=linux-x64
import { execFileSync } from 'node:child_process'
import { renameSync, rmSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { runtimeOf } from './runtime.mjs'
import { binaryOf, isWindows, ownTarget, targets } from './targets.mjs'

const { values } = parseArgs({ options: { target: { type: 'string', multiple: true } } })
const wanted = values.target ?? Object.keys(targets)
const unknown = wanted.find((target) => !Object.hasOwn(targets, target))
if (unknown !== undefined) {
  throw new Error(`There is no target ${unknown}; the targets are ${Object.keys(targets).join(', ')}`)
}

const compiler = resolve(runtimeOf(ownTarget()))
for (const target of wanted) {
  const file = binaryOf(target)
  const unfinished = `binaries/unfinished${isWindows(target) ? '.exe' : ''}`
  // Without the four flags, a .env, a bunfig.toml, a tsconfig.json or a package.json in the working folder would change fh.
  const flags = ['dotenv', 'bunfig', 'tsconfig', 'package-json'].map((name) => `--no-compile-autoload-${name}`)
  const runtime = [`--target=bun-${targets[target].runtime}`, `--compile-executable-path=${resolve(runtimeOf(target))}`]
  const output = [`--outfile=${resolve(unfinished)}`, '--compile', '--bytecode', '--minify', '--keep-names']
  execFileSync(compiler, ['build', 'fh.cjs', ...output, ...runtime, ...flags], {
    cwd: 'binaries/bundle',
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  rmSync(file, { force: true })
  renameSync(unfinished, file)
  process.stdout.write(`${file}  ${(statSync(file).size / 1e6).toFixed(1)} MB\n`)
}
