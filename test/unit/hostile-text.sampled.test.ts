import { parseUploadName } from '../../src/cli/choice/names.ts'
import { parseApiPath } from '../../src/cli/commands/api.ts'
import { downloadName } from '../../src/cli/commands/download/download-path.ts'
import { addSetting } from '../../src/cli/commands/emulate/command.ts'
import { formatLink } from '../../src/cli/commands/upload/run-upload.ts'
import { urlItem } from '../../src/cli/commands/upload/upload-items.ts'
import { readServiceAddress } from '../../src/cli/config/settings.ts'
import { describeFailure } from '../../src/cli/failures/failure.ts'
import {
  formatDate,
  formatExactDate,
  parseByteSize,
  parseDuration,
  printable,
  printableJson,
  shownFile,
} from '../../src/cli/format/format.ts'
import { parseBandwidth } from '../../src/cli/input/flag-values.ts'
import { isPattern } from '../../src/cli/input/glob.ts'
import { parseFields, uploadFields } from '../../src/cli/output/fields.ts'
import { fitMiddle, loadWidths } from '../../src/cli/output/terminal/terminal-text.ts'
import { failureLines } from '../../src/cli/output/text.ts'
import { answerText } from '../../src/cli/output/wire-text.ts'
import { parseBaseUrl } from '../../src/client/base-url.ts'
import { assertDeleted, errorOf } from '../../src/client/call-errors.ts'
import { readStart } from '../../src/client/download/download.ts'
import { parseCreatedAt } from '../../src/client/exactly-once/candidates.ts'
import { createRedactor } from '../../src/client/exchange.ts'
import { plainUrl } from '../../src/client/site/file-request.ts'
import { parseProxy, proxyFromEnvironment } from '../../src/client/transports/open-connection.ts'
import { parseQuotaLimits } from '../../src/environment/quota-limits.ts'
import { shellWord } from '../../src/environment/shell-word.ts'
import { parseRateReport, parseRetryAfter } from '../../src/pacing/rate-headers.ts'
import { sniffMimeType } from '../../src/protocol/media-types.ts'
import { refusingWindow } from '../../src/protocol/rate-limits.ts'
import { parseErrorBody } from '../../src/protocol/resources.ts'
import { uploadObject } from '../helpers/media.ts'
import { sample, sampleSeed } from '../sampling/sample.ts'
import { attempted, readInLinearTime, sampledTexts } from './linear-time.suite.ts'

await loadWidths()

const redact = createRedactor('secret-key')
const context = { request: { method: 'DELETE', path: '/api/uploads/x' }, baseUrl: 'http://h', redact }
const point = { bytes: 5, validator: '"one"' }

function headersOf(text: string): Readonly<Record<string, string>> {
  const names = ['limit', 'remaining', 'reset', 'cost'].map((name) => `x-ratelimit-${name}`)
  return Object.fromEntries([...names, 'date', 'age', 'retry-after'].map((name) => [name, text]))
}

function answerOf(text: string, status: number) {
  const error = parseErrorBody({ message: text, errors: { [text]: text } })
  return {
    status,
    headers: { 'content-type': text, location: text },
    text,
    excess: undefined,
    json: { message: text },
    error,
  }
}

/** Everything that reads or shows text from outside. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  'Retry-After': (text) => parseRetryAfter(text, text),
  'quota headers': (text) => parseRateReport(headersOf(text), 0),
  'Content-Range': (text) =>
    readStart('http://h/a', { status: 206, headers: { 'content-range': text }, body: none() }, point),
  'entity tag and dates': (text) =>
    readStart(
      'http://h/a',
      { status: 200, headers: { etag: text, date: text, 'content-length': text }, body: none() },
      point,
    ),
  'an error response': (text) =>
    [403, 404, 422, 429, 302, 500].map((status) => errorOf(answerOf(text, status), context)),
  'an answer to a deletion': (text) => assertDeleted({ ...answerOf(text, 200), json: undefined }, context),
  'a refusal': refusingWindow,
  'the text of a failure': (text) =>
    failureLines(describeFailure(errorOf(answerOf(text, 404), context)), { slug: text }, 'fh:'),
  created_at: parseCreatedAt,
  'a formatted date': (text) => [formatDate(text), formatExactDate(text)],
  'an address': (text) => plainUrl(`http://h/${text}`),
  'a base URL': (text) => parseBaseUrl(`http://localhost/${text}`),
  'an address as typed': (text) => readServiceAddress(`localhost/${text}`),
  'a proxy': parseProxy,
  NO_PROXY: (text) => proxyFromEnvironment(new URL('http://host.example'), { HTTP_PROXY: 'http://p', NO_PROXY: text }),
  'a slug': parseUploadName,
  'the address of an upload': (text) => parseUploadName(`http://h/i/${text}`),
  'the address of a file to upload': (text) =>
    ['ftp://', 'http://', 'https://me:x@h/'].map((start) => shownFile(urlItem(start + text).file)),
  'the name of a download': (text) => downloadName({ slug: text, direct_url: `http://h/${text}`, mime_type: text }),
  'the path of a call': (text) => parseApiPath(text, 'http://h'),
  'a list of fields': (text) => parseFields(text, uploadFields),
  limits: parseQuotaLimits,
  'a setting': (text) => addSetting(text),
  'a pattern': (text) => isPattern(text),
  'a size': parseByteSize,
  'a rate': (text) => [text, `1${text}`].map((rate) => attempted(parseBandwidth, rate)),
  'a duration': parseDuration,
  'printable text': (text) => [printable(text), printableJson(text), shellWord(text), redact(text)],
  'the body of an answer': (text) => answerText({ status: 200, headers: { a: text }, text, body: text }, true),
  'the width of a text': (text) => fitMiddle(printable(text), 40),
  'a link in Markdown': (text) => formatLink({ ...uploadObject, url: text, direct_url: text }, 'markdown', text),
  'the first bytes of a file': (text) => sniffMimeType(Buffer.from(text)),
}

readInLinearTime(readers, (texts, at) => sample(texts, sampledTexts, sampleSeed + at))

async function* none(): AsyncGenerator<Uint8Array> {}
