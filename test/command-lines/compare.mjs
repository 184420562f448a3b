// Runs the command lines of list.txt with the built fh of two checkouts, and prints where they differ:
//
//   node test/command-lines/compare.mjs OLD NEW [TEXT]
//
// OLD and NEW are checkouts whose `dist` is built. TEXT chooses the lines that contain it, or whose section does. What OLD
// did is kept in the temporary folder, for the next comparison; the emulator is OLD's, a new one for each line.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { stages } from './stages.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const media = join(here, '../fixtures/media')
const API_KEY = 'key-of-the-first-account-0123456789'
const AT_ONCE = 2
const LONGEST_MS = 60_000

const [oldCheckout, newCheckout, text = ''] = process.argv.slice(2)
if (newCheckout === undefined) {
  print('Usage: node compare.mjs OLD NEW [TEXT]')
  process.exit(2)
}
const lines = readList(readFileSync(join(here, 'list.txt'), 'utf8'))
const chosen = lines.filter(({ line, section }) => line.includes(text) || section.includes(text))
const { createEmulator } = await import(pathToFileURL(resolve(oldCheckout, 'dist/emulator.js')).href)
const root = mkdtempSync(join(tmpdir(), 'command-lines-'))
process.on('exit', () => rmSync(root, { recursive: true, force: true }))
const files = createFiles(join(root, 'files'))

const [before, after] = [await resultsOf(oldCheckout, true), await resultsOf(newCheckout, false)]
let differing = 0
let section = ''
for (const { line, ...item } of chosen) {
  const differences = difference(before.get(line), after.get(line))
  if (differences.length === 0) continue
  differing += 1
  if (section !== item.section) print(`\n## ${item.section}`)
  section = item.section
  print(`\n$ ${line}\n${differences.join('\n')}`)
}
print(`\n${chosen.length} command lines, ${differing} differ`)
process.exitCode = differing === 0 ? 0 : 1

function print(text) {
  process.stdout.write(`${text}\n`)
}

/** A line is `[stage …] command`, with the stages of stages.mjs; `# ` begins a section. */
function readList(list) {
  let section = ''
  return list.split('\n').flatMap((line) => {
    if (line.startsWith('# ')) section = line.slice(2)
    if (line === '' || line.startsWith('#')) return []
    const [, names = '', command] = /^(?:\[([^\]]*)\] )?(.*)$/s.exec(line)
    return [{ line, section, command, names: names.split(' ').filter(Boolean) }]
  })
}

async function resultsOf(checkout, isKept) {
  const stage = createHash('sha256')
    .update(readFileSync(join(here, 'stages.mjs')))
    .update(resolve(checkout))
  const kept = join(tmpdir(), `command-lines-${stage.digest('hex').slice(0, 16)}.json`)
  const known = new Map(isKept && existsSync(kept) ? JSON.parse(readFileSync(kept, 'utf8')) : [])
  const missing = chosen.filter(({ line }) => !known.has(line))
  const queue = missing.entries()
  const worker = async () => {
    for (const [index, item] of queue) known.set(item.line, await run(item, checkout, join(root, String(index))))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  if (isKept) writeFileSync(kept, JSON.stringify([...known]))
  return known
}

/** Runs a line in a folder of its own. @returns exit code, both streams, and the requests that reached the service */
async function run({ names, command }, checkout, folder) {
  const parts = names.map((name) => {
    if (stages[name] === undefined) throw new Error(`There is no stage ${name}`)
    return stages[name]
  })
  const merged = (key) => Object.assign({}, ...parts.map((part) => part[key]))
  const work = join(folder, 'work')
  for (const name of ['home', 'tmp', 'bin']) mkdirSync(join(folder, name), { recursive: true })
  cpSync(files, work, { recursive: true, preserveTimestamps: true })
  const fh = join(folder, 'bin/fh')
  writeFileSync(fh, `#!/bin/sh\nexec '${process.execPath}' '${resolve(checkout, 'bin/fh.js')}' "$@"\n`)
  const terminal = join(folder, 'bin/terminal')
  writeFileSync(terminal, '#!/bin/sh\nexec script -qec "stty cols $1 rows 24; $2" /dev/null\n')
  for (const program of [fh, terminal]) chmodSync(program, 0o755)
  const emulator = await createEmulator({
    apiKey: API_KEY,
    randomSeed: 1,
    seed: { accounts: [{ uploads: parts.flatMap(({ uploads = [] }) => uploads.map((one) => withFile(one))) }] },
    ...merged('emulator'),
  })
  const { baseUrl } = await emulator.listen({ port: 0 })
  emulator.control.faults.set(parts.flatMap(({ faults = [] }) => faults))
  const usual = { FH_BASE_URL: baseUrl, FH_API_KEY: API_KEY, TZ: 'UTC', TERM: 'xterm-256color', LANG: 'C.UTF-8' }
  const places = { HOME: join(folder, 'home'), TMPDIR: join(folder, 'tmp'), URL: baseUrl, KEY: API_KEY }
  const path = `${join(folder, 'bin')}:${dirname(process.execPath)}:/usr/bin:/bin`
  const env = { PATH: path, ...usual, ...places, ...merged('env') }
  const prelude = parts.flatMap(({ prelude = [] }) => prelude).map((line) => `${line} >/dev/null 2>&1\n`)
  const ended = await end(`set -o pipefail\n${prelude.join('')}${command}`, work, env)
  const log = emulator.control.requests.list().requests
  await emulator.close()
  rmSync(folder, { recursive: true, force: true })
  const norm = normalizer({ [folder]: 'FOLDER', [resolve(checkout)]: 'CHECKOUT', [baseUrl]: 'SERVICE' })
  const requests = log.map(({ method, endpoint, status }) => `${method} ${endpoint} ${status}`)
  const [stdout, stderr] = [norm(ended.stdout), norm(ended.stderr)]
  return { code: ended.code, stdout, stderr, requests: requests.map(norm).sort().join('\n') }
}

function withFile(upload) {
  return upload.file === undefined ? upload : { ...upload, file: join(media, upload.file) }
}

function end(command, cwd, env) {
  return new Promise((done, reject) => {
    const child = spawn('bash', ['-c', command], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    const printed = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8').on('data', (text) => {
        printed[name] += text
      })
    }
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      process.kill(-child.pid, 'SIGKILL')
    }, LONGEST_MS)
    child.once('error', reject)
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      done({ code: isLate ? 'too long' : (code ?? signal), ...printed })
    })
  })
}

/** Puts what no two runs share in order: places, ports, times, durations, rates, slugs by their first appearance. */
function normalizer(places) {
  const slugs = new Map()
  const day = (ms) => new Date(Date.now() + ms).toISOString().slice(0, 10)
  const today = [-86_400_000, 0, 86_400_000].map(day).join('|')
  return (printed) => {
    let text = printed
    for (const [place, name] of Object.entries(places)) text = text.replaceAll(place, name)
    for (const [, slug] of text.matchAll(/(?:\/[ite]\/|"slug": ?")([\w-]{10,36})/g)) {
      if (!slugs.has(slug)) slugs.set(slug, `SLUG${slugs.size + 1}`)
    }
    for (const [slug, name] of slugs) text = text.replaceAll(slug, name)
    return text
      .replaceAll(/"boundary|----?[\w-]*boundary[\w-]*/gi, 'BOUNDARY')
      .replace(new RegExp(`(${today})([T ]\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?)?(Z|[+-]\\d\\d:?\\d\\d)?`, 'g'), 'TIME')
      .replaceAll(/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/g, 'TIME')
      .replaceAll(/(?<=127\.0\.0\.1|localhost|\[::1\]):\d{2,5}\b/g, ':PORT')
      .replaceAll(/\b\d\d:\d\d(:\d\d)?\b/g, 'CLOCK')
      .replaceAll(/\b1[789]\d{8}(\d{3})?(\.\d+)?\b/g, 'EPOCH')
      .replaceAll(/\b\d+([.,]\d+)? ?(ms|s|min|seconds?|minutes?)\b/g, '# $2')
      .replaceAll(/("[a-z_]*_ms": ?)\d+(\.\d+)?/g, '$1#')
      .replaceAll(/\d+([.,]\d+)? ?[KM]?B\/s/g, '# B/s')
      .replaceAll(/\(node:\d+\)|\bpid \d+/g, 'PID')
  }
}

/** What chance decides: generated keys and passwords, ports, processes, and which waits and checks come first. */
function settled(text) {
  return text
    .replaceAll(/^(Waiting # s for|Trying again in|\d+ of \d+ files, |\{"type":"wait").*\n/gm, '')
    .replaceAll(/\b(?=\w*\d)(?=\w*[A-Z])\w{40}\b/g, 'KEY')
    .replaceAll(/(is generated:) \S+/g, '$1 PASSWORD')
    .replaceAll(/(Port|"pid":) ?\d+/g, '$1 #')
    .replaceAll(/nothing is stored yet|only you can read the stored\s+files/g, 'stored files are private')
}

/** Lines of standard error may come in any order, since several files are sent at once. */
function difference(before, after) {
  const found = []
  if (before.code !== after.code) found.push(`  exit code ${before.code} -> ${after.code}`)
  const sorted = (text) => text.split('\n').sort()
  for (const [name, linesOf] of [
    ['stdout', (text) => text.split('\n')],
    ['stderr', sorted],
    ['requests', sorted],
  ]) {
    const [one, other] = [linesOf(settled(before[name])), linesOf(settled(after[name]))]
    if (one.join('\n') === other.join('\n')) continue
    const [gone, come] = [without(one, other), without(other, one)]
    if (gone.length + come.length === 0) found.push(`  ${name}: the same lines in another order`)
    else found.push(...gone.map((text) => `  ${name} - ${text}`), ...come.map((text) => `  ${name} + ${text}`))
  }
  return found
}

function without(lines, others) {
  const left = [...others]
  return lines.filter((line) => {
    const at = left.indexOf(line)
    if (at !== -1) left.splice(at, 1)
    return at === -1
  })
}

/** The files that every line finds in its working folder. */
function createFiles(folder) {
  const write = (path, bytes) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), bytes)
  }
  const of = (name) => readFileSync(join(media, name))
  const picture = of('picture.png')
  /** A picture of its own, by what follows its end. */
  const pictureOf = (number) => Buffer.concat([picture, Buffer.from(`number ${number}`.padEnd(12))])
  write('photo.jpg', of('photo.jpg'))
  write('picture.png', picture)
  write('copy.png', picture)
  write('animation.gif', of('animation.gif'))
  write('clip.mp4', of('clip.mp4'))
  write('notes.txt', 'Some notes.\n')
  write('empty.png', '')
  write('fake.png', 'This is text, not a picture.\n')
  write('cut.mp4', of('clip.mp4').subarray(0, 20))
  write('photo.heic', Buffer.concat([Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'), Buffer.alloc(64)]))
  write('page.html', '<!doctype html><title>a page</title>')
  for (const number of [1, 2, 3, 4, 5]) write(`set/${number}.png`, pictureOf(number))
  write('holiday/one.png', pictureOf(11))
  write('holiday/two.JPG', of('photo.jpg'))
  write('holiday/deep/three.png', pictureOf(13))
  write('holiday/.hidden.png', pictureOf(14))
  write('holiday/readme.txt', 'About the holiday.\n')
  write('holiday/photo.heic', readFileSync(join(folder, 'photo.heic')))
  write('nothing/readme.txt', 'No pictures here.\n')
  mkdirSync(join(folder, 'void'))
  write('names/line\nbreak.png', pictureOf(21))
  write('names/\u202egnp.exe.png', pictureOf(22))
  write(`names/${'n'.repeat(251)}.png`, pictureOf(23))
  write('names/-dash.png', pictureOf(24))
  write('names/white space.png', pictureOf(25))
  write('names/héllo wörld.png', pictureOf(26))
  write('names/a[1].png', pictureOf(27))
  write('names/\x1b[31mred.png', pictureOf(28))
  write('names/q"uote\'s.png', pictureOf(29))
  write('list.txt', 'picture.png\nphoto.jpg\n\nset/1.png\n')
  write('list.nul', 'picture.png\0photo.jpg\0')
  write('list.utf16', Buffer.from('\ufeffpicture.png\r\n', 'utf16le'))
  write('list.bad', Buffer.from([0xff, 0x41, 0x0a]))
  write('body.json', '{"page": 1}\n')
  write('key.txt', `${API_KEY}\n`)
  write('seed.json', '{"accounts": [{"uploads": {"count": 3}}]}\n')
  write('seed-bad.json', '{"accounts": [{"uplods": {"count": 3}}]}\n')
  write('ca.pem', 'no certificate\n')
  return folder
}
