import { type Problem, problem } from '../problems.ts'
import { SettingMistake } from '../setting-mistake.ts'

/** The path as the engine knows it; null for one that is not below the prefix. */
export const withoutPrefix = (path: string, prefix: string): string | null => {
  if (prefix === '' || path === '*') return path
  if (path === prefix) return '/'
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : null
}

export const notBelow = (prefix: string): Problem =>
  problem('not-found', {
    detail: `There is nothing at this path. This service is at ${prefix}.`,
    members: { missing: 'path' },
  })

/** Empty for no prefix. */
export function readPrefix(prefix = ''): string {
  if (prefix === '') return ''
  const segments = prefix.split('/').slice(1)
  const isPlain = (segment: string): boolean => /^[\w.~-]+$/.test(segment) && !/^\.+$/.test(segment)
  if (!prefix.startsWith('/') || !segments.every(isPlain))
    throw new SettingMistake(
      `prefix is ${JSON.stringify(prefix)}. Write a path that begins with a slash and does not end in one, of letters, digits, "-", "_", "." and "~": prefix: '/api'.`,
    )
  if (segments.some((segment) => /^v\d+$/i.test(segment)))
    throw new SettingMistake(
      `prefix is ${JSON.stringify(prefix)}, which has a version in it. Leave it out: every path below the prefix begins with its version, as in ${prefix.replace(/\/v\d+.*/i, '') || '/api'}/v1.`,
    )
  return prefix
}
