// Files, and runs of the built program on one state folder.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fh } from '../service.mjs'

const FILES = 30

/** Many files of one size and type, which the service's list alone cannot tell apart. */
export async function writeFiles(root) {
  const paths = []
  for (let index = 0; index < FILES; index += 1) {
    const bytes = Buffer.alloc([2_000, 60_000, 3_000_000][index % 3] + (index % 2 === 0 ? 0 : index), index)
    bytes.set([0xff, 0xd8, 0xff, 0xe0])
    const path = join(root, `${index}.jpg`)
    await writeFile(path, bytes)
    paths.push(path)
  }
  return paths
}

/** The environment of runs that share a state folder. */
export function environmentOf(service, state) {
  return {
    PATH: process.env.PATH,
    ...service.env,
    FH_STATE_DIR: state,
    FH_CONFIG_DIR: state,
    FH_LIMITS: 'none',
  }
}

/**
 * Runs `fh upload` to its end.
 * @param onStart is given the process: kills it, or stops it for a while; returns what to do once it has ended
 * @returns its report and exit code; no report if it was killed before it reported
 */
export function upload(paths, env, { flags = [], onStart = () => () => {} } = {}) {
  const child = spawn(process.execPath, [fh, 'upload', '--jobs', '4', '--json', ...flags, ...paths], { env })
  const onEnd = onStart(child)
  let stdout = ''
  child.stdout.on('data', (text) => {
    stdout += text
  })
  return new Promise((resolve) => {
    child.once('close', (exitCode, signal) => {
      onEnd()
      // The report is written at once; with all of it the run is done, even if the process was killed while ending.
      const isWhole = signal === null || stdout.endsWith(']\n')
      resolve({ exitCode, records: isWhole ? JSON.parse(stdout) : undefined })
    })
  })
}

/** Kills a process after so many milliseconds. */
export function killAfter(ms) {
  return (child) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), ms)
    return () => clearTimeout(timer)
  }
}

/** Whether the bytes at an upload's link are those of the file. */
export async function hasBytesOf(file, { direct_url }) {
  return digest(Buffer.from(await (await fetch(direct_url)).arrayBuffer())) === digest(await readFile(file))
}

const digest = (bytes) => createHash('sha256').update(bytes).digest('hex')
