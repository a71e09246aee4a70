import type { PlainResponse } from '../call/exchange.ts'
import type { Target } from '../call/target.ts'
import type { SubCollection, Version, View } from '../compile/model.ts'
import { escapedForLink } from './link-target.ts'

/** Adds the headers of a deprecated version to an answer. `target` is null where the request is not for a resource; then `path` is used. */
export type AddSignals = (headers: PlainResponse['headers'], target: Target | null, path: string) => void

/** Null for a version that is not deprecated. `successorOf` returns the next newer version that is still served. */
export function signalsOf(
  version: Version,
  successorOf: (version: Version) => Version | null,
): AddSignals | null {
  if (!version.deprecated) return null
  // RFC 9745: `@` and unix seconds. RFC 8594: an IMF-fixdate.
  const deprecation = `@${version.deprecated.seconds}`
  const sunset = version.sunset && new Date(version.sunset.seconds * 1000).toUTCString()
  const versionsLink = '</docs/versions>; rel="sunset"; type="text/html"'
  const linksTo = (successor: Version): SuccessorLinks => ({
    successor,
    collections: new Map(),
    rest: `>; rel="successor-version", </docs/migrations/${version.name}-to-${successor.name}>; rel="deprecation"; type="text/html", ${versionsLink}`,
  })
  let links: SuccessorLinks | null = null
  const linkOf = (target: Target | null, path: string): string => {
    const successor = successorOf(version)
    if (!successor) return versionsLink
    if (links?.successor !== successor) links = linksTo(successor)
    const next = target ? successorPath(links, target) : documentPath(version, successor, path)
    return `<${next}${links.rest}`
  }
  return (headers, target, path) => {
    headers.Deprecation = deprecation
    if (sunset) headers.Sunset = sunset
    const link = linkOf(target, path)
    headers.Link = headers.Link ? `${headers.Link}, ${link}` : link
  }
}

/** The parts of `Link` that are the same for all URLs with one successor. */
interface SuccessorLinks {
  readonly successor: Version
  /** A cache of the successor's path of each collection, null where the successor has none. */
  readonly collections: Map<View, string | null>
  /** The text after the URL of the successor. */
  readonly rest: string
}

/** The path of the same resource in the newer version, or of that version's index where it has none. */
function successorPath({ successor, collections }: SuccessorLinks, target: Target): string {
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
