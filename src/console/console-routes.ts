import type { NavigationEntry } from './console-layout.ts'
import type { ConsolePage, OpenPage } from './console-page.ts'
import { consolePages } from './console-pages.ts'

/** A page, and what its path names. */
export interface ConsoleRoute {
  readonly page: ConsolePage | OpenPage
  readonly params: { readonly [name: string]: string }
}

interface Pattern {
  readonly page: ConsolePage | OpenPage
  readonly segments: readonly string[]
}

const patterns: readonly Pattern[] = consolePages.map((page) => ({ page, segments: page.path.split('/') }))

/** The first page whose path fits; null where there is none. */
export const findRoute = (path: string): ConsoleRoute | null => {
  const segments = path.split('/')
  for (const pattern of patterns) {
    const params = paramsOf(pattern.segments, segments)
    if (params) return { page: pattern.page, params }
  }
  return null
}

const paramsOf = (
  wanted: readonly string[],
  given: readonly string[],
): { readonly [name: string]: string } | null => {
  if (wanted.length !== given.length) return null
  const params: { [name: string]: string } = {}
  for (const [at, segment] of wanted.entries()) {
    const text = given[at] ?? ''
    const name = /^\{(\w+)\}$/.exec(segment)?.[1]
    if (name === undefined && segment !== text) return null
    if (name === undefined) continue
    const value = decoded(text)
    if (value === null || value === '') return null
    params[name] = value
  }
  return params
}

const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** The pages that the navigation has, in the order of the table. */
export const navigation = (path: string): readonly NavigationEntry[] =>
  consolePages.flatMap((page) =>
    page.kind === 'page' && page.inNavigation !== undefined
      ? [
          {
            label: page.inNavigation,
            url: page.path,
            isCurrent: path === page.path || path.startsWith(`${page.path}/`),
          },
        ]
      : [],
  )
