import { serviceMessages } from '../../../src/protocol/error-bodies.ts'
import { mediaTypes } from '../../../src/protocol/media-types.ts'
import type { FileProblem } from '../../service/file-rules.ts'
import type { Settings } from '../../settings/settings.ts'

/** `jpeg` follows `jpg`; otherwise the spec's order (spec 4.1). */
const extensions = mediaTypes.flatMap(({ extension }) => (extension === 'jpg' ? ['jpg', 'jpeg'] : [extension]))

const wrongType: Readonly<Record<Settings['wrong_type_message'], string>> = {
  mimes: wrongTypeMessage(extensions),
  mimetypes: wrongTypeMessage(mediaTypes.map(({ mimeType }) => mimeType)),
}

/** What the API says about a file that breaks a rule. */
export function fileMessage(
  problem: FileProblem,
  { wrong_type_message: typeList }: Pick<Settings, 'wrong_type_message'>,
): string {
  switch (problem.kind) {
    case 'missing':
      return serviceMessages.fileRequired
    case 'not-a-file':
      return 'The file field must be a file.'
    case 'incomplete':
      return 'The file failed to upload.'
    case 'wrong-type':
      return wrongType[typeList]
    case 'too-large':
      return `The file field must not be greater than ${problem.maxBytes / 1_024} ${problem.counts}.`
  }
}

function wrongTypeMessage(types: readonly string[]): string {
  return `The file field must be a file of type: ${types.join(', ')}.`
}
