import { spawnSync } from 'node:child_process'

/** The Nodes that a benchmark compares: the one that runs it, and each `--node=/path/to/node`. */
export const nodes = [
  process.execPath,
  ...process.argv.flatMap((word) => (word.startsWith('--node=') ? [word.slice('--node='.length)] : [])),
]

export function versionOf(node) {
  return spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()
}
