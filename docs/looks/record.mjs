// Draws what fh looks like at work, for the README: npm run looks. Real commands in a real shell on a pseudo-terminal,
// against the emulator; what is on the screen becomes docs/looks/*.svg. Needs bash, and dist/, which npm run looks builds.
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmulator } from '../../dist/emulator.js'
import { openScreen } from './screen.mjs'
import { startSlowLine } from './slow-line.mjs'
import { toSvg } from './svg.mjs'

const root = join(import.meta.dirname, '../..')
const work = await mkdtemp(join(tmpdir(), 'fh-looks-'))
const folder = join(work, 'holiday')
const apiKey = 'looks'
const BYTES_PER_SECOND = 12_000_000
const FRAME_MS = 125
/** How long the last frame stays, and at most any other frame. */
const [END_MS, LONGEST_STILL_MS] = [3_000, 1_500]
const prompt = /(^|\n)\$$/

/** The pictures: the lines to type, each at the shell's next prompt, and whether the picture moves. */
const looks = [
  {
    name: 'upload',
    label: 'fh upload draws a bar for the whole and one for each file, and prints the links',
    unlimited: true,
    lines: ['fh upload beach.jpg cliffs.mp4 surf.mp4'],
    moving: true,
  },
  { name: 'list', label: 'fh list shows uploads as a table', lines: ['fh list --limit 8'] },
  { name: 'plan', label: 'fh upload -n says what would be sent, and when', lines: ['fh upload -n shots/*'] },
  {
    name: 'quota',
    label: 'fh upload waits for the quota, and says for which and how long',
    lines: ['fh upload -j 3 shots/shot-1.jpg shots/shot-2.jpg shots/shot-3.jpg'],
    moving: true,
  },
  {
    name: 'error',
    label: 'an error says what happened and what to do next',
    lines: ['fh upload notes.txt', 'fh show kL1mN4pQ7r'],
  },
  {
    name: 'interrupted',
    label: 'Ctrl-C waits for the uploads in progress; the same command then continues',
    unlimited: true,
    lines: ['fh upload -j 1 cliffs.mp4 surf.mp4', 'fh upload -j 1 cliffs.mp4 surf.mp4'],
    interruptAt: /cliffs.* [3-9]\d %/,
    moving: true,
  },
]

const none = { burst: null, minute: null, hour: null, day: null }
const ago = (minutes) => new Date(Date.now() - minutes * 60_000).toISOString()
const batch = (mime_type, size, minutes) => ({ count: 1, mime_type, size, created_at: ago(minutes) })
const seed = {
  accounts: [
    {
      uploads: [
        batch('image/png', 481_233, 60 * 24 * 40),
        batch('video/mp4', 88_231_901, 60 * 24 * 9),
        batch('image/jpeg', 2_204_118, 60 * 24 * 9 - 3),
        batch('image/webp', 48_102, 60 * 26),
        batch('image/jpeg', 3_870_255, 60 * 3),
        batch('image/gif', 912_440, 12),
        batch('video/webm', 17_822_008, 2),
      ],
    },
  ],
}

try {
  await prepareFolder()
  for (const look of looks) await draw(look)
} finally {
  await rm(work, { recursive: true, force: true })
}

async function draw({ name, label, lines, moving = false, unlimited = false, interruptAt }) {
  const emulator = await createEmulator({
    apiKey,
    siteUrl: 'https://files.example',
    seed,
    ...(unlimited && { quotas: none }),
  })
  const { baseUrl } = await emulator.listen()
  const line = await startSlowLine(new URL(baseUrl).port, BYTES_PER_SECOND)
  const columns = 84
  const screen = openScreen('bash', ['--norc', '--noprofile', '-i'], {
    columns,
    rows: 24,
    cwd: folder,
    env: environment({ FH_BASE_URL: line.baseUrl, ...(unlimited && { FH_LIMITS: 'none' }) }),
  })
  await screen.until(prompt)
  const film = startFilm(screen)
  for (const [index, words] of lines.entries()) {
    screen.type(`${words}\r`)
    await screen.until(new RegExp(`\\$ ${escaped(words.slice(0, 20))}`))
    if (interruptAt !== undefined && index === 0) {
      await screen.until(interruptAt)
      screen.type('\x03')
    }
    await screen.until(endOf(index + 1))
  }
  const frames = film.end()
  screen.type('exit\r')
  await Promise.all([screen.ended, line.close(), emulator.close()])
  const kept = moving ? frames : frames.slice(-1)
  await writeFile(join(import.meta.dirname, `${name}.svg`), toSvg(kept, { columns, label }))
  console.log(`docs/looks/${name}.svg: ${kept.length} frame${kept.length === 1 ? '' : 's'}`)
}

/** Matches once this many commands have ended: the next prompt is there. */
function endOf(commands) {
  return new RegExp(`^(?:\\$ [\\s\\S]*?){${commands}}\\n\\$$`)
}

/** Records a frame whenever the screen changes, and how long it stayed. */
function startFilm(screen) {
  const frames = []
  let seen = ''
  let since = performance.now()
  const take = () => {
    const frame = screen.frame()
    const key = JSON.stringify(frame)
    if (key === seen) return
    const now = performance.now()
    const last = frames.at(-1)
    if (last !== undefined) last.ms = Math.min(Math.round(now - since), LONGEST_STILL_MS)
    frames.push({ ...frame, ms: END_MS })
    since = now
    seen = key
  }
  take()
  const timer = setInterval(take, FRAME_MS)
  return {
    end() {
      clearInterval(timer)
      take()
      return frames
    },
  }
}

function environment(own) {
  return {
    PATH: `${join(work, 'bin')}:${process.env.PATH}`,
    HOME: work,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    PS1: '$ ',
    HISTFILE: '',
    FH_API_KEY: apiKey,
    ...own,
  }
}

async function prepareFolder() {
  const media = (name) => readFile(join(root, 'test/fixtures/media', name))
  const padded = async (name, size) => Buffer.concat([await media(name), Buffer.alloc(size)])
  await mkdir(join(folder, 'shots'), { recursive: true })
  await mkdir(join(work, 'bin'))
  await symlink(join(root, 'bin/fh.js'), join(work, 'bin/fh'))
  await chmod(join(root, 'bin/fh.js'), 0o755)
  await writeFile(join(folder, 'beach.jpg'), await padded('photo.jpg', 5_400_000))
  await writeFile(join(folder, 'cliffs.mp4'), await padded('clip.mp4', 31_000_000))
  await writeFile(join(folder, 'surf.mp4'), await padded('clip.mp4', 48_000_000))
  await writeFile(join(folder, 'notes.txt'), 'only words\n')
  for (let shot = 1; shot <= 8; shot += 1) {
    await writeFile(join(folder, `shots/shot-${shot}.jpg`), await padded('photo.jpg', 2_100_000 + shot * 170_000))
  }
}

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
