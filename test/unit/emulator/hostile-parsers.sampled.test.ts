import { parsePage, queryWithoutPage } from '../../../emulator/api/pages.ts'
import { exceptionResponse, presentRefusal } from '../../../emulator/api/response.ts'
import { clientAddress, findRoute, parseTarget } from '../../../emulator/api/target.ts'
import { durationOf } from '../../../emulator/control/clock-control.ts'
import { judgeAccess } from '../../../emulator/control/http/access-guard.ts'
import { parseFaults } from '../../../emulator/faults/fault-parser.ts'
import type { HttpRequest } from '../../../emulator/http.ts'
import { upperCased } from '../../../emulator/php/form.ts'
import { readMultipart } from '../../../emulator/php/multipart.ts'
import { seedKind } from '../../../emulator/seed/seed.ts'
import { wildcardTest } from '../../../emulator/service/request-filter.ts'
import { createSettings } from '../../../emulator/settings/settings.ts'
import { isUnchanged, rangeApplies, selectRange } from '../../../emulator/site/files/file-reply.ts'
import { findSiteRoute } from '../../../emulator/site/site-routes.ts'
import { preferredLanguage } from '../../../emulator/site/texts/language.ts'
import { allowsAddress } from '../../../emulator/values/ip-allowlist.ts'
import { byteSize, timeZoneName } from '../../../emulator/values/value-type.ts'
import { isTooDeep } from '../../../src/checks/json.ts'
import { sample, sampleSeed } from '../../sampling/sample.ts'
import { readInLinearTime, sampledTexts } from '../linear-time.suite.ts'

function asked(headers: Readonly<Record<string, string>>): HttpRequest {
  const body = (async function* () {})()
  return { method: 'POST', url: '/', origin: 'http://h', headers, clientIp: '127.0.0.1', localPort: 80, body }
}

const settings = createSettings()
const answer = (headers: Readonly<Record<string, string>>) => ({
  settings: settings.current,
  request: asked(headers),
  now: 0,
})
const form = { text: () => {}, textLimit: () => 0, file: async () => undefined }
const noBytes = async function* () {}
const formWith = async function* (disposition: string) {
  yield Buffer.from(`--b\r\nContent-Disposition: ${disposition}\r\n\r\n`)
}

/** Everything of the emulator that reads text from outside. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  'a path without a route': (text) =>
    presentRefusal({ kind: 'route-not-found', path: `/api${text}x` }, answer({ accept: '*/json' })),
  'a path': (text) => findRoute(parseTarget(`/api/uploads/${text}x`)),
  'a path of the site': (text) => findSiteRoute(`/i/${text}x`),
  'an absolute target': (text) => parseTarget(`http://${text}x`),
  'a query': (text) => parseTarget(`/api?${text}x`).query.text('api_key'),
  'the query that pages keep': (text) => queryWithoutPage(`${text}x`),
  'a page number': (text) => parsePage(`1${text}`),
  Range: (text) => selectRange(`bytes=${text}x`, 100),
  'Range, one number': (text) => selectRange(`bytes=1${text}x-`, 100),
  Accept: (text) => exceptionResponse(404, '', answer({ accept: `a${text}x` })),
  'Accept-Language': (text) => preferredLanguage(`en${text}x`),
  'If-None-Match': (text) => isUnchanged(asked({ 'if-none-match': `"${text}x` }), { etag: '"e"', modifiedAt: 0 }),
  'If-Modified-Since': (text) =>
    isUnchanged(asked({ 'if-modified-since': `1${text}x` }), { etag: '"e"', modifiedAt: 0 }),
  'If-Range': (text) => rangeApplies(asked({ 'if-range': `1${text}x` }), { etag: '"e"', modifiedAt: 0 }),
  'X-Forwarded-For': (text) =>
    clientAddress(asked({ 'x-forwarded-for': `[${text}x` }), { ...settings.current, trust_forwarded_for: true }),
  Authorization: (text) =>
    judgeAccess(asked({ authorization: `Bearer ${text}x y` }), { token: 't', siteUrl: undefined }, 'api'),
  Host: (text) => judgeAccess(asked({ host: `h${text}x` }), { token: 't', siteUrl: undefined }, 'api'),
  Origin: (text) => judgeAccess(asked({ origin: `http://h${text}x` }), { token: 't', siteUrl: undefined }, 'api'),
  'Content-Type of a form': (text) => readMultipart(`multipart/form-data; boundary=b${text}x`, noBytes(), form),
  'Content-Disposition in a form': (text) =>
    readMultipart('multipart/form-data; boundary=b', formWith(`form-data; name${text}x; a=b${text}`), form),
  'a method': (text) => upperCased(`m${text}x`),
  'an entry of an allowlist': (text) => allowsAddress([`1.2.3.4/${text}x`], '1.2.3.4'),
  'a path pattern': (text) => wildcardTest(`/api/*${text}x*`)(`/api/${text.slice(0, 8_192)}`),
  'a duration': (text) => durationOf(`1${text}x`),
  'the name of a setting': (text) => createSettings({ [`quota${text}x`]: 1 }),
  'a size': (text) => byteSize.read(`1${text}x`),
  'a time zone': (text) => timeZoneName.read(`Europe/${text}x`),
  'a header of a fault': (text) =>
    parseFaults([{ action: { type: 'status', status: 500, headers: { [`x${text}`]: `v${text}` } } }]),
  'a seed': (text) => seedKind.read({ accounts: [{ api_key: `k${text} x`, [`uploads${text}`]: text }] }),
  'brackets of a control body': (text) => isTooDeep(`["${text}x`),
}

readInLinearTime(readers, (texts, at) => sample(texts, sampledTexts, sampleSeed + at))
