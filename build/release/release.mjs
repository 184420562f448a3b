// Makes all files of a release in binaries/release, and publishes nothing: npm run release -- --dry-run [--target=linux-x64 …]
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { binaryOf, isWindows, targets } from '../binaries/targets.mjs'
import { archiveOf } from './archive.mjs'
import { archiveName, recipes } from './recipes.mjs'
import { softwareBill } from './sbom.mjs'

const options = {
  'dry-run': { type: 'boolean' },
  target: { type: 'string', multiple: true },
  built: { type: 'boolean' },
}
const { values } = parseArgs({ options })
if (!values['dry-run']) {
  throw new Error('Only --dry-run works here: .github/workflows/release.yml publishes, when a tag is pushed')
}
const { version, description, homepage } = JSON.parse(readFileSync('package.json', 'utf8'))
checkDocuments()

const wanted = values.target ?? Object.keys(targets)
const run = (words) => execFileSync('npm', words, { encoding: 'utf8', shell: process.platform === 'win32' })
if (!values.built) run(['run', 'build:binaries', '--', ...wanted.map((target) => `--target=${target}`)])

const folder = 'binaries/release'
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const licences = readFileSync('binaries/bundle/THIRD-PARTY-LICENCES.txt')
const papers = [
  { name: 'fh.1', bytes: readFileSync('docs/fh.1') },
  { name: 'LICENSE', bytes: readFileSync('LICENSE') },
  { name: 'THIRD-PARTY-LICENCES.txt', bytes: licences },
]
const sums = []
const sumOf = (name, bytes) => {
  const sum = createHash('sha256').update(bytes).digest('hex')
  sums.push(`${sum}  ${name}\n`)
  return sum
}
const save = (name, bytes) => {
  writeFileSync(join(folder, name), bytes)
  return sumOf(name, bytes)
}

const archives = {}
for (const target of wanted) {
  const bytes = readFileSync(binaryOf(target))
  const program = { name: isWindows(target) ? 'fh.exe' : 'fh', bytes, isProgram: true }
  archives[target] = save(archiveName(target), archiveOf([program, ...papers]))
  // Of the program alone too: the install scripts see from it whether it is there already.
  sumOf(binaryOf(target).replace('binaries/', ''), bytes)
}
save('fh.cdx.json', `${JSON.stringify(softwareBill({ version, licences: licences.toString() }), null, 2)}\n`)
for (const name of ['install.sh', 'install.ps1']) save(name, readFileSync(name))
const tarball = run(['pack', '--silent', '--pack-destination', folder]).trim().split('\n').at(-1)
sumOf(tarball, readFileSync(join(folder, tarball)))
writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''))
if (wanted.length === Object.keys(targets).length) {
  for (const [name, text] of Object.entries(recipes({ version, description, homepage, sums: archives }))) {
    writeFileSync(join(folder, name), text)
  }
}
writeFileSync(join(folder, 'notes.md'), notes())
copyFileSync('docs/fh.1', join(folder, 'fh.1'))
process.stdout.write(`${sums.join('')}Release ${version} is in ${folder}; nothing was published\n`)

/** The version and the date stand in four places, which have to agree. */
function checkDocuments() {
  const [, released, date] = /^## (\S+) - (\S+)$/m.exec(readFileSync('CHANGELOG.md', 'utf8')) ?? []
  if (released !== version) throw new Error(`CHANGELOG.md begins with ${released}, package.json has ${version}`)
  const page = readFileSync('docs/fh.1', 'utf8').split('\n', 1)[0]
  if (page.includes(`"${date}" "filehost ${version}"`)) return
  throw new Error(`docs/fh.1 is not of ${version}, ${date}: run npm run docs`)
}

/** The section of this version in the changelog. */
function notes() {
  return `${readFileSync('CHANGELOG.md', 'utf8')
    .split(/^## .*$/m)[1]
    .trim()}\n`
}
