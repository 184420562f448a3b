// Where a program of Node spends its time: the functions, of Node or its own, that take most, by its profiler.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What is no function: waiting, and what the profiler cannot name. */
const unnamed = ['(idle)', '(program)']

export function largestItems({ command: [node, ...words], env }, count = 3) {
  const folder = mkdtempSync(join(tmpdir(), 'fh-profile-'))
  spawnSync(node, ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=250', ...words], {
    env: { ...process.env, ...env },
  })
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, readdirSync(folder)[0]), 'utf8'))
  rmSync(folder, { recursive: true })
  const names = new Map(nodes.map(({ id, callFrame }) => [id, callFrame.functionName]))
  const items = new Map()
  for (const [index, id] of samples.entries()) {
    const name = names.get(id) || '(anonymous)'
    items.set(name, (items.get(name) ?? 0) + timeDeltas[index] / 1_000)
  }
  const named = [...items].filter(([name]) => !unnamed.includes(name)).sort(([, one], [, other]) => other - one)
  return named.slice(0, count).map(([name, ms]) => `${name} ${Math.round(ms)} ms`)
}
