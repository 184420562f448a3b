import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ScenarioFile } from './scenario.ts'

/** Position of the byte that differs between contents. */
export const MARK_AT = 30

const signatures = { jpeg: [0xff, 0xd8, 0xff, 0xe0], gif: [0x47, 0x49, 0x46, 0x38, 0x39, 0x61] } as const

/** Files with the same content have the same content name. */
export function contentName({ type, size, mark }: ScenarioFile): string {
  return `${type}-${size}-${mark}`
}

/** The content name that stored bytes were sent with, also if the service appended bytes; has a `?` if it is unknown. */
export function contentOf(bytes: Uint8Array): string {
  const type = bytes[0] === signatures.jpeg[0] ? 'jpeg' : 'gif'
  const size = bytes[MARK_AT + 1] ?? 0
  return `${type}-${sizes[size] ?? '?'}-${bytes[MARK_AT] ?? '?'}`
}

const sizes = [100, 101, 108, 150, 70_000]

export function bytesOf({ type, size, mark }: ScenarioFile): Buffer {
  const bytes = Buffer.alloc(size, 0x20)
  bytes.set(signatures[type])
  bytes[MARK_AT] = mark
  bytes[MARK_AT + 1] = sizes.indexOf(size)
  return bytes
}

/** `fh` refuses a file that changed after its upload began. Scenarios run in virtual time, always later than 1970. */
function writeOld(path: string, bytes: Buffer): void {
  writeFileSync(path, bytes)
  utimesSync(path, 0, 0)
}

/** A temporary folder for the files and journals of scenarios. */
export function createWorkspace() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'fh-fuzz-')))
  const written = new Set<string>()
  let folders = 0
  return {
    /** The paths of a scenario's files; files with the same content are copies. */
    paths(files: readonly ScenarioFile[]): readonly string[] {
      return files.map((file, index) => {
        const path = join(root, `${index}-${contentName(file)}.${file.type}`)
        if (!written.has(path)) writeOld(path, bytesOf(file))
        written.add(path)
        return path
      })
    },
    /** A new folder for what a program keeps between runs. */
    folder(): string {
      folders += 1
      const folder = join(root, `state-${folders}`)
      mkdirSync(folder)
      return folder
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  }
}

export type Workspace = ReturnType<typeof createWorkspace>
