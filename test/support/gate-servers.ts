import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { compileApi } from '../../src/compile/compile.ts'
import type { Model } from '../../src/compile/model.ts'
import { contractOf } from '../../src/contract/contract.ts'
import type { ApiDeclaration, SeedRow } from '../../src/declare/api.ts'
import { MigrationRefused } from '../../src/migrate/migration.ts'
import { type TestApi, testApi } from '../../src/testing.ts'
import { memoryFolder } from './memory-folder.ts'
import { samplesOf } from './schema-samples.ts'

/** Two servers of one API, before and after an edit, with the same rows. */
export interface GateServers {
  readonly model: Model
  readonly old: TestApi
  readonly now: TestApi
  readonly keys: { readonly old: string; readonly now: string }
  /** The new server has a copy of the old one's store, so that cursors of the old one hold. */
  readonly isCopied: boolean
  close(): Promise<void>
}

const clock = { now: () => Date.UTC(2026, 5, 1) }
const uuid = (kind: number, at: number) => `0190a0a0-000${kind}-7000-8000-00000000000${at}`

/** The rows of both: the first trees have leaves, the last have none. */
export const seededIds = (model: Model, resource: string): readonly string[] => {
  const prefix = model.resources.get(resource)?.idPrefix ?? ''
  return [0, 1, 2, 3].map((at) => `${prefix}${uuid(resource === 'trees' ? 1 : 2, at)}`)
}

/** The tree that a leaf grows on. */
export const treeOf = (leaf: number): number => (leaf < 2 ? 0 : 1)

/** Where a copy of the store cannot be migrated by itself, the new server gets the same rows in a store of its own. */
export const openGateServers = async (
  before: ApiDeclaration,
  after: ApiDeclaration,
  scopes: readonly string[],
): Promise<GateServers> => {
  const folder = memoryFolder('nounkit-gate-')
  const model = compileApi(before)
  const contracts = new Map([[model.head.name, contractOf(model, model.head)]])
  const seed = gateSeed(model, compileApi(after, { contracts }))
  const open = (declaration: ApiDeclaration, file: string) =>
    testApi(declaration, { databaseUrl: `sqlite:${join(folder, file)}`, clock, contracts })
  const keyOf = (api: TestApi) => api.key('acme', { scopes: [...new Set(scopes)] })
  const old = await open({ ...before, seed: gateSeed(model, model) }, 'old.db')
  const key = await keyOf(old)
  const database = new DatabaseSync(join(folder, 'old.db'))
  database.exec(`VACUUM INTO '${join(folder, 'new.db')}'`)
  database.close()
  const copy = await open(after, 'new.db').catch((error: unknown) => {
    if (error instanceof MigrationRefused) return null
    throw error
  })
  const now = copy ?? (await open({ ...after, seed }, 'own.db'))
  const keys = { old: key, now: copy ? key : await keyOf(now) }
  const close = async () => {
    await old.close()
    await now.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { model, old, now, keys, isCopied: copy !== null, close }
}

/** The rows of a model, as far as `target` has their fields. */
export const gateSeed = (model: Model, target: Model): NonNullable<ApiDeclaration['seed']> => {
  const rows = (shared: boolean): readonly SeedRow[] =>
    ['trees', 'leaves']
      .filter((name) => model.resources.get(name)?.shared === shared)
      .flatMap((name) =>
        seededIds(model, name).map((id, at) => ({
          resource: name,
          values: { id, ...valuesOf(model, target, name, at) },
        })),
      )
  return { accounts: ['acme'], shared: () => rows(true), account: () => rows(false) }
}

const valuesOf = (
  model: Model,
  target: Model,
  resource: string,
  at: number,
): { readonly [field: string]: unknown } => {
  const view = model.head.viewOf.get(resource)
  const known = target.resources.get(resource)?.field
  const ownFields = (view?.fields ?? []).filter(
    ({ name, field }) =>
      known?.has(name) && !['id', 'created_at', 'updated_at'].includes(name) && !field?.sum,
  )
  return Object.fromEntries(
    ownFields.map(({ name, target, schema }) => {
      if (target) return [name, seededIds(model, 'trees')[treeOf(at)]]
      const values = samplesOf(schema as never)
      // A text of its own for each row: it may have to be unique.
      const isFree = schema.type === 'string' && !schema.format && !schema.enum
      return [name, isFree ? `row${at}`.slice(0, schema.maxLength) : values[at % values.length]]
    }),
  )
}
