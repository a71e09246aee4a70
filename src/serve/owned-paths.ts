import type { Model } from '../compile/model.ts'
import { withoutPrefix } from './prefix.ts'

/** What a service without a prefix has besides its versions. */
const roots: readonly string[] = ['', 'console', 'docs', 'problems', 'assets', 'livez', 'readyz', 'metrics']

/** Whether a path is the service's own. Below a prefix every path is. */
export function ownedPaths({ prefix, versions, unversioned }: Model): (path: string) => boolean {
  if (prefix !== '') return (path) => withoutPrefix(path, prefix) !== null
  const known = new Set([
    ...roots,
    ...versions.map(({ name }) => name),
    ...[...(unversioned?.views.values() ?? [])].map(({ name }) => name),
  ])
  return (path) => known.has(path.split('/')[1] ?? '')
}
