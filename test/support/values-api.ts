import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { type ApiDeclaration, api } from '../../src/declare/api.ts'
import { writeOnly } from '../../src/declare/field.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import type { RandomField } from './random-field.ts'
import { testApi } from './way-in.ts'

export type Fields = readonly RandomField[]
export const nameOf = (index: number): string => `field_${index}`
/** The server sets a read-only field from a write-only one beside it, so that rows can have any value there. */
export const seedOf = (index: number): string => `seed_${index}`

const declared = (all: Fields, when: 'frozen' | 'now'): ApiDeclaration => {
  const own = all.map((field, index) => [nameOf(index), field.declared[when]] as const)
  const copied = all.flatMap(({ mark }, index) => (mark === 'readOnly' ? [index] : []))
  const seeds = copied.map((index) => [seedOf(index), writeOnly(z.string().optional())] as const)
  const things = resource('things', {
    fields: Object.fromEntries([...own, ...seeds]),
    filter: all.flatMap(({ finds }, index) => (finds ? [nameOf(index)] : [])),
    hooks: {
      beforeCreate: (row: { [field: string]: unknown }) =>
        Object.fromEntries(copied.map((index) => [nameOf(index), JSON.parse(String(row[seedOf(index)]))])),
    },
  } as never)
  const changes = (at: 0 | 1) => all.flatMap((field, index) => field.changes(at, nameOf(index)))
  return api('values', {
    resources: [things],
    versions: [
      version('v3'),
      version('v2', { published: '2026-01-01', changes: changes(1) }),
      version('v1', { published: '2025-01-01', changes: changes(0) }),
    ],
  })
}

export type Json = { readonly [key: string]: unknown }
export type Answer = { readonly status: number; readonly text: string; readonly body: Json }
export type Call = (method: string, path: string, body?: unknown) => Promise<Answer>

/** The older versions are frozen as they were before the newest grew. */
export const served = async (
  all: Fields,
  databaseUrl: string,
): Promise<{ call: Call; close(): Promise<void> }> => {
  const frozen = compileApi(declared(all, 'frozen'))
  const contracts = new Map(
    frozen.versions.slice(1).map((one) => [one.name, contractOf(frozen, one)] as const),
  )
  const service = await testApi(declared(all, 'now'), { databaseUrl, contracts })
  const headers = {
    authorization: `Bearer ${await service.key('acme', { name: `law ${++keys}` })}`,
    'content-type': 'application/json',
  }
  const call: Call = async (method, path, body) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await service.fetch(path, { method, headers, ...sent })
    const text = await response.text()
    return { status: response.status, text, body: JSON.parse(text) }
  }
  return { call, close: () => service.close() }
}
let keys = 0
