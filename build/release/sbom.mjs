import { bunVersion } from '../binaries/targets.mjs'

/** Each notice begins with `name version (licence)`. */
const notice = /^((?:@[\w.-]+\/)?[\w.-]+) (\d[\w.+-]*) \((.+)\)$/gm

/** The packages of which a text has the licences. */
export function bundledPackages(licences) {
  return [...licences.matchAll(notice)].map(([, name, version, licence]) => ({ name, version, licence }))
}

/** What a binary consists of, in CycloneDX 1.6. @param licences the licences of the packages bundled into it */
export function softwareBill({ version, licences }) {
  const packages = bundledPackages(licences).map(({ name, version, licence }) =>
    component('library', name, version, licence, `pkg:npm/${name.replace('@', '%40')}@${version}`),
  )
  const runtime = component('framework', 'bun', bunVersion, 'MIT', `pkg:github/oven-sh/bun@bun-v${bunVersion}`)
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: component('application', 'filehost', version, 'MIT', `pkg:npm/filehost@${version}`) },
    components: [runtime, ...packages],
  }
}

function component(type, name, version, licence, purl) {
  // An expression such as `(MIT OR Apache-2.0)` is none of the identifiers.
  const licenses = / /.test(licence) ? [{ expression: licence }] : [{ license: { id: licence } }]
  return { type, 'bom-ref': purl, name, version, purl, licenses }
}
