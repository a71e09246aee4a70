import type { Model, Version } from '../compile/model.ts'
import { guidePath } from '../lifecycle/facts.ts'
import { statusOf } from '../lifecycle/status.ts'
import type { Retirement } from '../lifecycle/use.ts'
import type { PlainResponse } from '../request/exchange.ts'

/** `GET /`: the versions, their status and dates. */
function apiIndex(model: Model, now: number, retirement: Retirement): unknown {
  return {
    data: {
      name: model.name,
      title: model.title,
      unversioned: model.unversioned?.name ?? null,
      versions: model.versions.map((version) => versionEntry(version, model, now, retirement)),
      docs: '/docs',
    },
  }
}

/** `GET /v2`: the collections of one version, in its own names. */
function versionIndex(version: Version, model: Model, now: number, retirement: Retirement): unknown {
  const views = [...version.views.values()]
  const top = views
    .filter((view) => view.topLevel)
    .map((view) => [view.name, `/${version.name}/${view.name}`] as const)
  const nested = views.flatMap((view) =>
    view.under.map((sub) => `/${version.name}/${sub.owner().name}/{id}/${sub.segment}`),
  )
  return {
    data: {
      ...versionEntry(version, model, now, retirement),
      collections: Object.fromEntries(top),
      sub_collections: nested.sort(),
    },
  }
}

function versionEntry(
  version: Version,
  model: Model,
  now: number,
  retirement: Retirement,
): { [key: string]: unknown } {
  const { name } = version
  const status = statusOf(version, model, now, retirement.isRetired)
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
  const index = version ? versionIndex(version, model, now, retirement) : apiIndex(model, now, retirement)
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=60', Vary: 'Accept' },
    body: JSON.stringify(index),
  }
}
