import { contentName } from './files.ts'
import type { ScenarioFile } from './scenario.ts'

/** The program's last report on a file. */
export type Claim =
  | { readonly type: 'stored'; readonly slug: string }
  | { readonly type: 'not-stored'; readonly why: string }
  | { readonly type: 'unknown'; readonly why: string }
  /** It was not started, or nothing was reported. */
  | { readonly type: 'nothing' }

/** An upload as the service has it. */
export interface StoredFile {
  readonly slug: string
  readonly content: string
}

export interface Violation {
  readonly type: 'lost' | 'doubled' | 'wrongly reported'
  readonly what: string
}

export interface Evidence {
  readonly files: readonly ScenarioFile[]
  readonly claims: readonly Claim[]
  readonly stored: readonly StoredFile[]
}

/** Compares what the program reported with what the service stored. */
export function judge(evidence: Evidence): readonly Violation[] {
  const contents = [...new Set(evidence.files.map(contentName))]
  return [...contents.flatMap((content) => judgeContent(content, evidence)), ...judgeLinks(evidence)]
}

/** After the last run: a file that is neither stored nor unknown is lost. */
export function judgeEnd({ files, claims }: Evidence): readonly Violation[] {
  return files.flatMap((file, index) => {
    const claim = claims[index] ?? { type: 'nothing' }
    if (claim.type === 'stored' || claim.type === 'unknown') return []
    return [{ type: 'lost' as const, what: `${contentName(file)} (${index}): ${JSON.stringify(claim)}` }]
  })
}

function judgeContent(content: string, { files, claims, stored }: Evidence): readonly Violation[] {
  const copies = claims.filter((_, index) => contentName(files[index] as ScenarioFile) === content)
  const count = stored.filter((upload) => upload.content === content).length
  const absent = copies.filter(({ type }) => type === 'not-stored').length
  if (count > 1) return [{ type: 'doubled', what: `${content} is stored ${count} times` }]
  if (count === 0 || absent < copies.length) return []
  return [
    { type: 'wrongly reported', what: `${content} is stored, but reported as not stored: ${JSON.stringify(copies)}` },
  ]
}

function judgeLinks({ files, claims, stored }: Evidence): readonly Violation[] {
  const owners = new Map<string, string>()
  return files.flatMap((file, index): readonly Violation[] => {
    const claim = claims[index]
    if (claim?.type !== 'stored') return []
    const { slug } = claim
    const upload = stored.find((candidate) => candidate.slug === slug)
    const content = contentName(file)
    if (upload === undefined)
      return [{ type: 'lost', what: `${content} was reported as ${slug}, which does not exist` }]
    if (upload.content !== content)
      return [{ type: 'wrongly reported', what: `${content} was reported as an upload of ${upload.content}` }]
    const owner = owners.get(slug)
    owners.set(slug, content)
    const isTaken = owner !== undefined && owner !== content
    return isTaken ? [{ type: 'wrongly reported', what: `${slug} was reported for both ${owner} and ${content}` }] : []
  })
}
