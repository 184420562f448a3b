import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PlotFile } from './scenario.ts'

/** Where what tells one content from another stands in a file. */
export const MARK_AT = 30

const signatures = { jpeg: [0xff, 0xd8, 0xff, 0xe0], gif: [0x47, 0x49, 0x46, 0x38, 0x39, 0x61] } as const

/** Two files of one name have one content. */
export function contentName({ type, size, mark }: PlotFile): string {
  return `${type}-${size}-${mark}`
}

/** The name of the content that stored bytes were sent as, whatever a service has put behind them; `?` for others. */
export function contentOf(bytes: Uint8Array): string {
  const type = bytes[0] === signatures.jpeg[0] ? 'jpeg' : 'gif'
  const size = bytes[MARK_AT + 1] ?? 0
  return `${type}-${sizes[size] ?? '?'}-${bytes[MARK_AT] ?? '?'}`
}

const sizes = [100, 101, 108, 150, 70_000]

function bytesOf({ type, size, mark }: PlotFile): Buffer {
  const bytes = Buffer.alloc(size, 0x20)
  bytes.set(signatures[type])
  bytes[MARK_AT] = mark
  bytes[MARK_AT + 1] = sizes.indexOf(size)
  return bytes
}

/** What was written after an upload began is another file; plots play in times of their own, later than this. */
function writeOld(path: string, bytes: Buffer): void {
  writeFileSync(path, bytes)
  utimesSync(path, 0, 0)
}

/** A temporary folder for the files and journals of plots. */
export function createPlayground() {
  const root = mkdtempSync(join(tmpdir(), 'fh-fuzz-'))
  const written = new Set<string>()
  let folders = 0
  return {
    /** The paths of a plot's files; those of one content are copies of each other. */
    paths(files: readonly PlotFile[]): readonly string[] {
      return files.map((file, index) => {
        const path = join(root, `${index}-${contentName(file)}.${file.type}`)
        if (!written.has(path)) writeOld(path, bytesOf(file))
        written.add(path)
        return path
      })
    },
    /** A folder for what a program keeps between its runs. */
    folder(): string {
      folders += 1
      const folder = join(root, `state-${folders}`)
      mkdirSync(folder)
      return folder
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  }
}

export type Playground = ReturnType<typeof createPlayground>
