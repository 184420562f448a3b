import { hash } from 'node:crypto'
import type { HttpResponse } from '../../http.ts'

interface Asset {
  readonly text: string
  readonly type: string
}

/** Files that pages load, each under a name with a hash of its content, so that caches keep it for ever. */
export function createAssetTable<Name extends string>(assets: Readonly<Record<Name, Asset>>) {
  const byHashedName = new Map<string, Asset>(
    Object.entries<Asset>(assets).map(([name, asset]) => [hashedName(name, asset), asset]),
  )
  return {
    /** The address of an asset, relative to the place that serves them. */
    path: (name: Name) => `assets/${hashedName(name, assets[name])}`,
    /** Answers a request for an asset by the last part of its path; undefined if there is none. */
    reply(name: string): HttpResponse | undefined {
      const asset = byHashedName.get(name)
      if (asset === undefined) return undefined
      const headers = {
        'Content-Type': asset.type,
        'Cache-Control': 'public, max-age=31536000, immutable',
        'X-Content-Type-Options': 'nosniff',
        'Content-Security-Policy': "default-src 'none'",
      }
      return { status: 200, headers, body: asset.text }
    },
  }
}

function hashedName(name: string, { text }: Asset): string {
  const dot = name.lastIndexOf('.')
  return `${name.slice(0, dot)}.${hash('sha256', text).slice(0, 10)}${name.slice(dot)}`
}
