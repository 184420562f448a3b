// Measures whole processes. They take turns, so that a slow moment of the machine affects them equally; of many rounds
// the best counts, since other programs only ever add to a time.
import { spawnSync } from 'node:child_process'

/** The environment of each process, without a variable that doubles Node's start. */
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env

/** bash tells what getrusage says of its child to a millisecond. */
const timed =
  'TIMEFORMAT="%3R %3U %3S"; time "$@" >/dev/null 2>/tmp/fh-bench-$$ || { cat /tmp/fh-bench-$$; exit 1; }; rm /tmp/fh-bench-$$'

const peakReport = new URL('report-peak.cjs', import.meta.url).pathname

/**
 * @param {readonly { command: readonly string[], env?: Record<string, string> }[]} contenders
 * @param {number} rounds
 * @returns the best of each: processor time (user and system) and wall time in milliseconds
 */
export function measure(contenders, rounds) {
  const best = contenders.map(() => ({ cpuMs: Number.POSITIVE_INFINITY, wallMs: Number.POSITIVE_INFINITY }))
  for (let round = 0; round < rounds; round += 1) {
    contenders.forEach(({ command, env: extra = {} }, index) => {
      const { status, stderr, stdout } = spawnSync('bash', ['-c', timed, 'bash', ...command], {
        env: { ...env, ...extra },
        encoding: 'utf8',
      })
      if (status !== 0) throw new Error(`${command.join(' ')} failed: ${stdout}${stderr}`)
      const [real, user, system] = stderr.trim().split(' ').map(Number)
      const { cpuMs, wallMs } = best[index]
      best[index] = { cpuMs: Math.min(cpuMs, (user + system) * 1_000), wallMs: Math.min(wallMs, real * 1_000) }
    })
  }
  return best
}

/** The most memory that a program of Node had, in MiB; the least of three runs. */
export function peakMiB({ command: [node, ...words], env: extra = {} }) {
  const peaks = [1, 2, 3].map(() => {
    const { stderr } = spawnSync(node, ['--require', peakReport, ...words], {
      env: { ...env, ...extra },
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    return Number(stderr.trim().split('\n').at(-1)) / 1_024
  })
  return Math.round(Math.min(...peaks))
}
