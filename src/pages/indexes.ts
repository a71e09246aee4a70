import type { Model, Version } from '../compile/model.ts'
import { guidePath } from '../lifecycle/facts.ts'
import type { Retirement } from '../lifecycle/use.ts'
import type { PlainResponse } from '../request/exchange.ts'

export type Status = 'current' | 'deprecated' | 'sunset' | 'retired'

/** Where a version stands at a moment. */
export function statusOf(version: Version, now: number, retirement: Retirement): Status {
  if (retirement.isRetired(version)) return 'retired'
  const seconds = now / 1000
  if (version.sunset && version.sunset.seconds < seconds) return 'sunset'
  if (version.deprecated && version.deprecated.seconds <= seconds) return 'deprecated'
  return 'current'
}

/** `GET /`: the versions, their status and dates. */
export function apiIndex(model: Model, now: number, retirement: Retirement): unknown {
  return {
    data: {
      name: model.name,
      title: model.title,
      unversioned: model.unversioned?.name ?? null,
      versions: model.versions.map((version) => versionEntry(version, now, retirement)),
      docs: '/docs',
    },
  }
}

/** `GET /v2`: the collections of one version, in its own names. */
export function versionIndex(version: Version, now: number, retirement: Retirement): unknown {
  const views = [...version.views.values()]
  const top = views
    .filter((view) => view.topLevel)
    .map((view) => [view.name, `/${version.name}/${view.name}`] as const)
  const nested = views.flatMap((view) =>
    view.under.map((sub) => `/${version.name}/${sub.owner().name}/{id}/${sub.segment}`),
  )
  return {
    data: {
      ...versionEntry(version, now, retirement),
      collections: Object.fromEntries(top),
      sub_collections: nested.sort(),
    },
  }
}

function versionEntry(version: Version, now: number, retirement: Retirement): { [key: string]: unknown } {
  const { name } = version
  const status = statusOf(version, now, retirement)
  return {
    name,
    url: `/${name}`,
    status,
    published: version.published?.date ?? null,
    deprecated: version.deprecated?.date ?? null,
    sunset: version.sunset?.date ?? null,
    openapi: status === 'retired' ? null : `/${name}/openapi.json`,
    guide: version.deprecated ? guidePath(version, retirement.successorOf(version)) : null,
  }
}

/** The indexes as documents; null for any other path. */
export function indexDocument(
  path: string,
  model: Model,
  now: number,
  retirement: Retirement,
): PlainResponse | null {
  const version = model.versions.find((one) => path === `/${one.name}`)
  if (path !== '/' && !version) return null
  if (version && retirement.isRetired(version)) return null
  const index = version ? versionIndex(version, now, retirement) : apiIndex(model, now, retirement)
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=60', Vary: 'Accept' },
    body: JSON.stringify(index),
  }
}
