// Measures whole processes. They take turns, so that a slow moment of the machine affects them equally.
import { spawnSync } from 'node:child_process'

/** The environment of each process, without a variable that slows Node's start on some machines. */
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env

/**
 * @param {readonly { name: string, command: readonly string[], env?: Record<string, string> }[]} contenders the first is the floor
 * @param {number} rounds
 * @returns rows of name, median milliseconds and the ratio to the floor
 */
export function compareProcesses(contenders, rounds = 15) {
  const times = contenders.map(() => [])
  for (let round = 0; round <= rounds; round += 1) {
    contenders.forEach(({ command: [file, ...args], env: extra = {} }, index) => {
      const startedAt = process.hrtime.bigint()
      const { status, stderr } = spawnSync(file, args, {
        env: { ...env, ...extra },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      const tookMs = Number(process.hrtime.bigint() - startedAt) / 1e6
      if (status !== 0) throw new Error(`${file} ${args.join(' ')} exited with ${status}: ${stderr}`)
      // The first round warms the page cache and is not counted.
      if (round > 0) times[index].push(tookMs)
    })
  }
  const floor = median(times[0])
  return contenders.map(({ name }, index) => ({
    name,
    'median ms': Number(median(times[index]).toFixed(1)),
    'ratio to floor': Number((median(times[index]) / floor).toFixed(2)),
  }))
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
