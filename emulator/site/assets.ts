import { hash } from 'node:crypto'
import type { HttpReply } from '../http-types.ts'
import icon from './assets/icon.svg?text'
import stylesheet from './assets/site.css?text'

interface Asset {
  readonly text: string
  readonly type: string
}

const css = 'text/css; charset=utf-8'

/** Every file that pages load. */
const assets = {
  'icon.svg': { text: icon, type: 'image/svg+xml' },
  'site.css': { text: stylesheet, type: css },
} satisfies Readonly<Record<string, Asset>>

/** The address of an asset below the site's home. A hash of its content is in the name, so caches keep it for ever. */
export function assetPath(name: keyof typeof assets): string {
  return `assets/${hashedName(name, assets[name])}`
}

/** Answers a request for an asset by the last part of its path; undefined if there is none. */
export function assetReply(name: string): HttpReply | undefined {
  const asset = byHashedName.get(name)
  if (asset === undefined) return undefined
  const headers = {
    'Content-Type': asset.type,
    'Cache-Control': 'public, max-age=31536000, immutable',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'",
  }
  return { status: 200, headers, body: asset.text }
}

function hashedName(name: string, { text }: Asset): string {
  const dot = name.lastIndexOf('.')
  return `${name.slice(0, dot)}.${hash('sha256', text).slice(0, 10)}${name.slice(dot)}`
}

const byHashedName: ReadonlyMap<string, Asset> = new Map(
  Object.entries(assets).map(([name, asset]) => [hashedName(name, asset), asset]),
)
