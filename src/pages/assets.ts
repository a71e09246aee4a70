import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type StaticDocument, staticDocument } from './static-document.ts'
import { referenceFiles } from './vendor.ts'

/** The files that pages load. Every URL has a hash or a version of its content, so browsers may cache it for ever. */
export interface Assets {
  /** The URL of one of our own files. */
  url(name: OwnAsset): string
  /** The URL of the reference's renderer. */
  readonly reference: string
  /** The file at a path; null where there is none. */
  find(path: string): StaticDocument | null
}

const own = ['page.css', 'console.css', 'reference.js', 'accessible.js', 'console.js', 'icon.svg'] as const
export type OwnAsset = (typeof own)[number]

const types: { readonly [extension: string]: string } = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}
const typeOf = (name: string): string => types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
const cacheForever = 'public, max-age=31536000, immutable'

export const createAssets = (): Assets => {
  const urls = new Map<string, string>()
  const documents = new Map<string, StaticDocument>()
  for (const name of own) {
    const bytes = readFileSync(fileURLToPath(new URL(`assets/${name}`, import.meta.url)))
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12)
    const url = `/assets/${name.replace('.', `-${hash}.`)}`
    urls.set(name, url)
    documents.set(url, staticDocument(bytes, { type: typeOf(name), cacheControl: cacheForever }))
  }
  const renderer = rendererFiles()
  return {
    url: (name) => urls.get(name) ?? '',
    reference: `${renderer.prefix}standalone.esm.js`,
    find(path) {
      const known = documents.get(path) ?? renderer.open(path)
      if (known) documents.set(path, known)
      return known
    },
  }
}

/** The browser build of the reference's renderer. Its files are read at their first request. */
const rendererFiles = () => {
  const { version, folder } = referenceFiles()
  const prefix = `/assets/scalar-${version}/`
  // Only listed names are served, so that no path of a request reaches the file system.
  let listed: ReadonlySet<string> | null = null
  return {
    prefix,
    open(path: string): StaticDocument | null {
      if (!path.startsWith(prefix)) return null
      listed ??= listScripts(folder)
      const name = path.slice(prefix.length)
      if (!listed.has(name)) return null
      return staticDocument(readFileSync(join(folder, name)), {
        type: typeOf(name),
        cacheControl: cacheForever,
      })
    },
  }
}

const listScripts = (folder: string): ReadonlySet<string> =>
  new Set([
    'standalone.esm.js',
    ...readdirSync(join(folder, 'chunks'))
      .filter((name) => name.endsWith('.js'))
      .map((name) => `chunks/${name}`),
  ])
