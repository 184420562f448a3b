import { mkdirSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createEmulator } from '../../emulator/index.ts'
import { defaultLimits, unlimited } from '../../src/protocol/rate-limits.ts'
import type { RunOptions } from './crash-points.ts'
import { bytesOf, type Workspace } from './files.ts'
import { type KillableRun, runKillable } from './killable-run.ts'
import { createPatientClock } from './patient-clock.ts'
import type { Scenario, ScenarioFile } from './scenario.ts'
import { serviceState } from './stored.ts'
import { processes } from './together/processes.ts'
import { type Evidence, judge, judgeEnd, type PlayedRun, unique, type Violation } from './verdict.ts'

/** What a scenario or a story led to. */
export interface Outcome {
  readonly violations: readonly Violation[]
  readonly runs: readonly PlayedRun[]
  /** Whether the service changes files before it stores them: then neither sizes nor bytes prove much. */
  readonly changesFiles: boolean
  readonly requests: number
  /** Requests that the service itself refused for quota; 429s made by a fault are not counted. */
  readonly refusals: number
  /** Types of the faults that struck. */
  readonly struck: readonly string[]
}

/** One `fh upload`. */
export interface Upload extends Pick<PlayedRun, 'from' | 'force' | 'journal'> {
  /** Indices of the files, taken as often as there are. */
  readonly files: readonly number[]
  readonly jobs: number
}

type Options = Pick<RunOptions, 'scenario' | 'clock' | 'transport'> & Partial<RunOptions>

export const SITE = 'http://files.test'
/** How often the last command is run, without any faults. */
const LAST_RUNS = 3

/**
 * A service in virtual time, and a state folder on which `fh` runs, each time as a process of its own.
 * @param isShared whether several runs are at work at a time
 */
export async function openStage(
  { startAt, limited, settings, files }: Pick<Scenario, 'startAt' | 'limited' | 'settings' | 'files'>,
  workspace: Workspace,
  isShared = false,
) {
  const clock = createPatientClock(startAt, { isShared })
  const limits = limited ? defaultLimits : unlimited
  const { dialect, changes } = settings
  // The work moves the clock; a run that takes a second of real time is no news.
  const quiet = { onStandstill: () => {} }
  const emulator = await createEmulator({ clock: clock.service, dialect, settings: changes, quotas: limits, ...quiet })
  const { apiKey, control } = emulator
  const paths = workspace.paths(files)
  const shared = workspace.folder()
  const folder = join(shared, 'state')
  mkdirSync(folder, { mode: 0o700 })
  const runs: PlayedRun[] = []
  const violations: Violation[] = []

  function run(argv: readonly string[], options: Options): Promise<KillableRun> {
    const link = join(workspace.folder(), 'process')
    symlinkSync(shared, link)
    return processes.start((pid) =>
      runKillable(argv, {
        apiKey,
        limits,
        idleDuring: clock.idleDuring,
        onRequest: () => undefined,
        ...options,
        folder: join(link, 'state'),
        // What is left of the process writes elsewhere from now on.
        onKill(killedBy) {
          processes.end(pid)
          options.onKill?.(killedBy)
          unlinkSync(link)
          symlinkSync(workspace.folder(), link)
          mkdirSync(join(link, 'state'), { mode: 0o700 })
        },
      }),
    )
  }

  async function evidence(): Promise<Evidence> {
    return { runs, ...(await serviceState(emulator)) }
  }

  return {
    clock,
    emulator,
    folder,
    runs,
    run,
    /** @returns whether every file is stored */
    async upload(upload: Upload, at: number, options: Options): Promise<boolean> {
      // The program takes a path that is given twice once.
      const all = [...new Set(upload.files.map((index) => index % files.length))]
      const given = upload.from === 'stdin' ? all.slice(0, 1) : all
      const items = given.map((index) => files[index] as ScenarioFile)
      const stdin = Readable.from([bytesOf(items[0] as ScenarioFile)])
      const argv = argvOf(
        upload,
        given.map((index) => paths[index] ?? ''),
      )
      runs[at] = { ...upload, items, ...(await run(argv, { stdin, ...options })) }
      return items.every((_, index) => runs[at]?.records.get(index)?.upload)
    },
    async judge(more?: Partial<Evidence>): Promise<void> {
      violations.push(...judge({ ...(await evidence()), ...more }))
    },
    /** Without any faults, uploads until all is stored, and then, when nothing more is to be stored, once more. */
    async end(
      isComplete: boolean,
      upload: () => Promise<boolean>,
      known: () => Promise<Parameters<typeof judgeEnd>[0]['known']>,
    ) {
      const struck = control.faults.list().flatMap((fault) => (fault.struck > 0 ? [fault.action.type] : []))
      control.faults.clear()
      let isDone = isComplete
      for (let left = LAST_RUNS; left > 0 && !isDone; left -= 1) isDone = await upload()
      if (isDone) await upload()
      violations.push(...judgeEnd({ ...(await evidence()), known: await known() }))
      const { requests } = control.requests.list()
      const refusals = requests.filter(({ status, fault }) => status === 429 && fault === undefined).length
      const { reencode: changesFiles } = control.settings.get()
      return { violations: unique(violations), runs, changesFiles, requests: requests.length, refusals, struck }
    },
  }
}

export type Stage = Awaited<ReturnType<typeof openStage>>

function argvOf({ from, force, journal, jobs }: Upload, paths: readonly string[]): readonly string[] {
  const nameOf = (path: string) => path.replace(/^.*\//, '')
  const inputs = {
    path: paths,
    url: paths.map((path) => `${SITE}/${nameOf(path)}`),
    stdin: ['-', '--name', nameOf(paths[0] ?? '')],
  }
  const flags = [...(force ? ['--force'] : []), ...(journal ? [] : ['--no-journal'])]
  return ['upload', '--jobs', String(jobs), ...flags, ...inputs[from]]
}
