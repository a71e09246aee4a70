import type { SubCollection, Version, View } from '../compile/model.ts'
import type { Target } from '../request/route.ts'
import { linkTarget } from './link-target.ts'

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
  const guides = new Map<Version, string>()
  const guideTo = (successor: Version): string => {
    const known = guides.get(successor)
    if (known) return known
    const guide = `</docs/migrations/${version.name}-to-${successor.name}>; rel="deprecation"; type="text/html"`
    guides.set(successor, guide)
    return guide
  }
  return {
    deprecation: `@${deprecated.seconds}`,
    sunset: sunset ? new Date(sunset.seconds * 1000).toUTCString() : null,
    link(target, path) {
      const successor = successorOf(version)
      if (!successor) return end
      const next =
        path === `/${version.name}/openapi.json`
          ? `/${successor.name}/openapi.json`
          : successorPath(target, successor)
      return `${linkTarget(next)}; rel="successor-version", ${guideTo(successor)}, ${end}`
    },
  }
}

/** The same resource in a newer version, or that version's index where it has none. */
export function successorPath(target: Target | null, successor: Version): string {
  const index = `/${successor.name}`
  if (!target) return index
  const view = successor.viewOf.get(target.view.resource.name)
  if (!view) return index
  const tail = target.id === null ? '' : `/${target.id}`
  if (!target.sub) return view.topLevel ? `${index}/${view.name}${tail}` : index
  const sub = sameSub(view, target.sub)
  return sub ? `${index}/${sub.owner().name}/${target.ownerId}/${sub.segment}${tail}` : index
}

const sameSub = (view: View, sub: SubCollection): SubCollection | undefined =>
  view.under.find((one) => one.relation.relation === sub.relation.relation)
