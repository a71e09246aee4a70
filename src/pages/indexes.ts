import type { PlainResponse } from '../call/exchange.ts'
import type { Model, Version } from '../compile/model.ts'
import { collectionPaths } from '../compile/names/collection-paths.ts'
import { guidePath } from '../lifecycle/facts.ts'
import type { Retirement } from '../lifecycle/retirement.ts'
import { statusOf } from '../lifecycle/status.ts'

/** `GET /`: the versions, their status and dates. */
function apiIndex(model: Model, now: number, retirement: Retirement): unknown {
  return {
    data: {
      name: model.name,
      title: model.title,
      unversioned: model.unversioned?.name ?? null,
      versions: model.versions.map((version) => versionEntry(version, model, now, retirement)),
      docs: `${model.prefix}/docs`,
    },
  }
}

/** `GET /v2`: the collections of one version, in its own names. */
function versionIndex(version: Version, model: Model, now: number, retirement: Retirement): unknown {
  const base = `${model.prefix}/${version.name}`
  const views = [...version.views.values()]
  const top = views
    .filter((view) => view.topLevel)
    .map((view) => [view.name, `${base}/${view.name}`] as const)
  const nested = views.flatMap((view) =>
    view.under.map((sub) => `${base}/${sub.owner().name}/{id}/${sub.segment}`),
  )
  const unkeyed = views
    .filter(({ methods, idempotency }) => methods.has('POST') && idempotency.mode === 'off')
    .flatMap((view) => collectionPaths(view).map((path) => `${base}${path}`))
  return {
    data: {
      ...versionEntry(version, model, now, retirement),
      collections: Object.fromEntries(top),
      sub_collections: nested.sort(),
      // Clients ask before they send a create again: here a second one makes a second row.
      ...(unkeyed.length > 0 && { without_idempotency_key: unkeyed.sort() }),
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
  const guide = guidePath(version, retirement.successorOf(version))
  const status = statusOf(version, model, now, retirement.isRetired)
  return {
    name,
    url: `${model.prefix}/${name}`,
    status,
    published: version.published?.date ?? null,
    deprecated: version.deprecated?.date ?? null,
    sunset: version.sunset?.date ?? null,
    openapi: status === 'retired' ? null : `${model.prefix}/${name}/openapi.json`,
    guide: guide && model.prefix + guide,
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
