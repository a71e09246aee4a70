import type { ConsoleSources } from '../console/console-page.ts'
import type { Engine } from './engine.ts'
import type { Handle } from './shell.ts'

/** Where the console is: beside the API, on a port of its own, or nowhere. */
export type ConsolePlace = 'beside the API' | 'own port' | 'nowhere'

export interface ServedConsole {
  /** What answers paths that are no resources: with the console, where it is beside the API. */
  readonly document: Engine['document']
  /** Answers on a port of its own; null where it has none. */
  readonly apart: Handle | null
}

/** Loads pages at their first request: a service that only answers API calls never needs them in memory. */
export function lazily(load: () => Promise<Engine['document']>): Engine['document'] {
  let loading: Promise<Engine['document']> | null = null
  return async (request) => {
    loading ??= load()
    return (await loading)(request)
  }
}

export function openConsole(
  place: ConsolePlace,
  sources: ConsoleSources,
  document: Engine['document'],
): ServedConsole {
  if (place === 'nowhere') return { document, apart: null }
  const console = lazily(async () => (await import('../console/console.ts')).createConsole(sources))
  const isConsole = (path: string): boolean => path === '/console' || path.startsWith('/console/')
  if (place === 'beside the API')
    return {
      document: async (request) =>
        (isConsole(request.path) ? await console(request) : null) ?? document(request),
      apart: null,
    }
  const missing = { status: 404, body: null }
  return {
    document,
    async apart(request) {
      const { path } = request
      if (path === '/') return { status: 303, headers: { Location: '/console' }, body: null }
      const answer = isConsole(path)
        ? await console(request)
        : path.startsWith('/assets/')
          ? await document(request)
          : null
      return answer ?? { ...missing, headers: { 'Cache-Control': 'no-store' } }
    },
  }
}
