import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { Script } from 'node:vm'
import type { Environment } from './environment.ts'
import { isTrusted, openPrivateFile } from './private-file.ts'
import { stateFolder } from './user-folders.ts'

export interface CompiledCodeOptions {
  /** Holds the program's files, whose names have hashes of what they hold. */
  readonly program: string
  readonly version: string
  /** What the program does: each of its ways to run has a file of its own. */
  readonly words: readonly string[]
  readonly env: Environment
}

/**
 * Loads the program's files with the code that V8 compiled in an earlier run. A run that succeeds and lacked code leaves
 * its own in the state folder, if that is there (docs/decisions/014-compiled-code-is-kept.md).
 */
export function useCompiledCode({ program, version, words, env }: CompiledCodeOptions): void {
  const folder = folderOf(env)
  if (folder === undefined) return
  const path = join(folder, [version, process.version, process.arch, nameOf(words)].join('-'))
  const kept = openCompiled(path)
  const scripts = new Map<string, Script>()
  const modules = new Map<string, { exports: object }>()
  let isLacking = false

  function load(name: string, requireOthers: (id: string) => unknown): unknown {
    const known = modules.get(name)
    if (known !== undefined) return known.exports
    const module = { exports: {} }
    modules.set(name, module)
    const filename = `${program}${sep}${name}`
    const script = new Script(sourceOf(filename), { filename, cachedData: kept?.codeOf(name) })
    isLacking ||= script.cachedDataRejected !== false
    scripts.set(name, script)
    // Looking for a file in Node's way takes a tenth of a millisecond.
    const requireFrom = (id: string) => (id.startsWith('./') ? load(id.slice(2), requireOthers) : requireOthers(id))
    script.runInThisContext().call(module.exports, module.exports, requireFrom, module, filename, program)
    return module.exports
  }

  const { '.js': plain } = require.extensions
  require.extensions['.cjs'] = (module, filename) => {
    if (dirname(filename) !== program) plain?.(module, filename)
    else module.exports = load(basename(filename), module.require.bind(module))
  }
  keepCode = (code) => {
    // Options of Node may be such that V8 refuses the code in a run without them. In a long run V8 drops that of the start.
    if (code !== 0 || !isLacking || process.uptime() > 5 || process.execArgv.length > 0 || env['NODE_OPTIONS']) return
    try {
      keep(path, scripts, version)
    } catch {
      // The program has done its work: the next run compiles again.
    }
  }
  process.once('exit', keepCode)
}

const functionBegin = Buffer.from('(function (exports, require, module, __filename, __dirname) { ')
const functionEnd = Buffer.from('\n})')

/** The build writes ASCII alone, which is read faster so. Texts that are put together are copied once more on V8's heap. */
function sourceOf(filename: string): string {
  const file = openSync(filename, 'r')
  try {
    const { size } = fstatSync(file)
    const end = functionBegin.length + size
    const bytes = lentMemory(end + functionEnd.length)
    functionBegin.copy(bytes)
    readSync(file, bytes, functionBegin.length, size, 0)
    functionEnd.copy(bytes, end)
    return bytes.toString('latin1', 0, end + functionEnd.length)
  } finally {
    closeSync(file)
  }
}

const memory = new ArrayBuffer(0, { maxByteLength: 16_777_216 })

/** The same memory for all files, since V8 copies what it reads: memory that is new costs a fault of each page. */
function lentMemory(bytes: number): Buffer {
  if (memory.byteLength < bytes) memory.resize(bytes)
  return Buffer.from(memory, 0, bytes)
}

let keepCode = (_code: number) => {}

/** Call once a command that goes on is ready: the code of its start is kept now, and the memory returned. */
export function startIsOver(): void {
  keepCode(0)
  memory.resize(0)
}

function folderOf(env: Environment): string | undefined {
  // A folder that is named may serve others too, and its files may come from elsewhere.
  if (env['FH_STATE_DIR'] || env['NODE_DISABLE_COMPILE_CACHE'] || env['NODE_V8_COVERAGE']) return undefined
  return join(stateFolder(env), 'compiled')
}

/** The command, which is the first word, or none; one name where flags stand before it: any word may be the value of one. */
function nameOf(words: readonly string[]): string {
  const [command = words.every((word) => word.startsWith('-')) ? '' : 'flags'] =
    /^[a-z]{2,10}$/.exec(words[0] ?? '') ?? []
  return words.includes('--help') || words.includes('-h') ? `${command}-help` : command
}

/** Whether it is a folder of ours, and no other user can put a file into it: what is there is run. */
function isOwn(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found?.isDirectory() !== true) return false
  return process.geteuid === undefined || (isTrusted(found) && (found.mode & 0o022) === 0)
}

/** V8 reads code in place only from such a multiple; elsewhere it makes a copy. */
const ALIGNMENT = 8

/** More names than the program has files. */
const LONGEST_HEAD = 8_192

/**
 * Code that an earlier run has kept. V8 itself checks its version, and how long the source is, but would run damaged code.
 * So the file holds everything twice: comparing is the fastest check there is.
 *
 * @returns undefined if there is no file with a sound head in a folder of our own
 */
function openCompiled(path: string) {
  try {
    const folder = dirname(path)
    if (!isOwn(dirname(folder)) || !isOwn(folder)) return undefined
    const file = openPrivateFile(path, constants.O_RDONLY)
    const half = fstatSync(file).size / 2
    const head = readTwice(file, half, 0, Math.min(LONGEST_HEAD, half))
    const line = head?.toString('latin1', 0, head.indexOf('\n') + 1) ?? ''
    const places = new Map<string, { readonly at: number; readonly length: number }>()
    let at = line.length
    for (const [name, length] of JSON.parse(line)) {
      places.set(name, { at, length })
      at += length
    }
    lentMemory(2 * Math.max(...[...places.values()].map(({ length }) => length)))
    return {
      names: () => [...places.keys()],
      /** The code of one of the program's files, until the memory is lent again; undefined if it is damaged. */
      codeOf(name: string): Buffer | undefined {
        const place = places.get(name)
        return place && readTwice(file, half, place.at, place.length)
      },
      close: () => closeSync(file),
    }
  } catch {
    return undefined
  }
}

function readTwice(file: number, half: number, at: number, length: number): Buffer | undefined {
  const bytes = lentMemory(2 * length)
  const read = readSync(file, bytes, 0, length, at) + readSync(file, bytes, length, length, half + at)
  const isSound = read === 2 * length && bytes.compare(bytes, length, read, 0, length) === 0
  return isSound ? bytes.subarray(0, length) : undefined
}

/** A file that a run has left: of which version, and of which process if it is a draft. */
const left = /^(\d+\.\d+\.\d+(?:-[\w.]+)?)-v\d+\.\d+\.\d+(?:-[\w.]+)?-[a-z0-9]+-[a-z]*(?:-help)?(\.\d+)?$/

/** The draft of a process that was killed. */
const OLD_DRAFT_MS = 60_000

/** Several processes may do so at once. */
function keep(path: string, scripts: ReadonlyMap<string, Script>, version: string): void {
  const folder = dirname(path)
  if (!isOwn(dirname(folder))) return
  mkdirSync(folder, { mode: 0o700, recursive: true })
  if (!isOwn(folder)) return
  const draft = `${path}.${process.pid}`
  rmSync(draft, { force: true })
  const file = openSync(draft, 'wx', 0o600)
  try {
    clear(folder, version, fstatSync(file).mtimeMs)
    // What other runs of this name need stays: runs that take turns would take it from each other.
    const compiled = new Map<string, Buffer>()
    const before = openCompiled(path)
    for (const name of before?.names() ?? []) compiled.set(name, Buffer.from(before?.codeOf(name) ?? ''))
    before?.close()
    for (const [name, script] of scripts) {
      const code = script.createCachedData()
      compiled.set(name, Buffer.concat([code], Math.ceil(code.length / ALIGNMENT) * ALIGNMENT))
    }
    writeFileSync(file, twice([...compiled]))
    renameSync(draft, path)
  } finally {
    closeSync(file)
    rmSync(draft, { force: true })
  }
}

/** Removes what other versions of fh and killed processes have left. @param now by the folder's clock, in milliseconds */
function clear(folder: string, version: string, now: number): void {
  for (const name of readdirSync(folder)) {
    const [, of, draft] = left.exec(name) ?? []
    const path = join(folder, name)
    const found = of === undefined ? undefined : lstatSync(path, { throwIfNoEntry: false })
    const isOld = draft !== undefined && (found?.mtimeMs ?? now) < now - OLD_DRAFT_MS
    if (found?.isFile() && (of !== version || isOld)) rmSync(path, { force: true })
  }
}

function twice(compiled: readonly (readonly [name: string, code: Buffer])[]): Buffer {
  const head = JSON.stringify(compiled.map(([name, { length }]) => [name, length]))
  const line = head.padEnd(Math.ceil((head.length + 1) / ALIGNMENT) * ALIGNMENT - 1)
  const half = Buffer.concat([Buffer.from(`${line}\n`), ...compiled.map(([, code]) => code)])
  return Buffer.concat([half, half])
}
