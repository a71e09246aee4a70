import type { SubCollection, Version, View } from '../compile/model.ts'
import type { Target } from '../request/route.ts'
import { escapedForLink } from './link-target.ts'

/** What every response of a deprecated version carries; made once per version, but for the successor of the very URL. */
export interface Signals {
  /** RFC 9745: `@` and unix seconds. */
  readonly deprecation: string | null
  /** RFC 8594: an IMF-fixdate. */
  readonly sunset: string | null
  /** `path` tells where the request is of no resource. */
  link(target: Target | null, path: string): string | null
}

export const silent: Signals = { deprecation: null, sunset: null, link: () => null }

/** `successorOf` says which newer version is served: one may have been retired meanwhile. */
export function signalsOf(version: Version, successorOf: (version: Version) => Version | null): Signals {
  const { deprecated, sunset } = version
  if (!deprecated) return silent
  const end = '</docs/versions>; rel="sunset"; type="text/html"'
  const wayTo = (successor: Version): Way => ({
    successor,
    collections: new Map(),
    rest: `>; rel="successor-version", </docs/migrations/${version.name}-to-${successor.name}>; rel="deprecation"; type="text/html", ${end}`,
  })
  let way: Way | null = null
  return {
    deprecation: `@${deprecated.seconds}`,
    sunset: sunset ? new Date(sunset.seconds * 1000).toUTCString() : null,
    link(target, path) {
      const successor = successorOf(version)
      if (!successor) return end
      if (way?.successor !== successor) way = wayTo(successor)
      const next = target ? successorPath(way, target) : documentPath(version, successor, path)
      return `<${next}${way.rest}`
    },
  }
}

/** What is the same for all URLs that lead to one successor. */
interface Way {
  readonly successor: Version
  /** The path of each collection that was asked for, null where the successor has none. */
  readonly collections: Map<View, string | null>
  /** What follows the URL's successor. */
  readonly rest: string
}

/** The same resource in the newer version, or that version's index where it has none. */
function successorPath({ successor, collections }: Way, target: Target): string {
  if (target.sub) return nestedPath(target, target.sub, successor)
  let path = collections.get(target.view)
  if (path === undefined) {
    path = collectionPath(target.view, successor)
    collections.set(target.view, path)
  }
  if (path === null) return indexOf(successor)
  return target.id === null ? path : `${path}/${escapedForLink(target.id)}`
}

function collectionPath({ resource }: View, successor: Version): string | null {
  const view = successor.viewOf.get(resource.name)
  return view?.topLevel ? `${indexOf(successor)}/${view.name}` : null
}

function nestedPath({ view, id, ownerId }: Target, { relation }: SubCollection, successor: Version): string {
  const newer = successor.viewOf.get(view.resource.name)
  const sub = newer?.under.find((one) => one.relation.relation === relation.relation)
  if (!sub) return indexOf(successor)
  const path = `${indexOf(successor)}/${sub.owner().name}/${escapedForLink(ownerId ?? '')}/${sub.segment}`
  return id === null ? path : `${path}/${escapedForLink(id)}`
}

function documentPath(version: Version, successor: Version, path: string): string {
  const isDocument = path === `${indexOf(version)}/openapi.json`
  return isDocument ? `${indexOf(successor)}/openapi.json` : indexOf(successor)
}

const indexOf = (version: Version): string => `/${version.name}`
