import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export interface Process {
  readonly pid: number
  readonly parent: number
  /** Its command line, arguments separated by blanks. */
  readonly command: string
}

/** All descendants of a process, parents before their children; none on Windows. */
export function processesBelow(root: number, all: readonly Process[] = runningProcesses()): readonly Process[] {
  const children = all.filter(({ parent }) => parent === root)
  return children.flatMap((child) => [child, ...processesBelow(child.pid, all)])
}

/** Small Linux images have no `ps`; other systems have no `/proc`. */
function runningProcesses(): readonly Process[] {
  if (process.platform === 'win32') return []
  return process.platform === 'linux' ? readProc() : askPs()
}

function readProc(): readonly Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const status = readFileSync(`/proc/${name}/status`, 'utf8')
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
        return [{ pid: Number(name), parent: Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]), command }]
      } catch {
        // The process has just ended.
        return []
      }
    })
}

function askPs(): readonly Process[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
  return (stdout ?? '').split('\n').flatMap((line) => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command: command ?? '' }]
  })
}
