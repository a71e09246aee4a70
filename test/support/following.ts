import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { compileApi } from '../../src/compile/compile.ts'
import type { ApiDeclaration } from '../../src/declare/api.ts'
import { migrateUnserved } from '../../src/lifecycle/migrate-unserved.ts'
import type { Following } from '../../src/migrate/decide/questions-to-people.ts'
import { isShownAddition } from '../../src/migrate/migration.ts'
import type { Step } from '../../src/migrate/migration-step.ts'
import type { Store } from '../../src/store/store.ts'
import { testApi } from './way-in.ts'

export interface Data {
  readonly id: string
  readonly [field: string]: unknown
}
export type Call = (
  method: string,
  path: string,
  body?: object,
) => Promise<{
  readonly status: number
  readonly data: Data
  readonly list: readonly Data[]
  readonly etag: string
}>

/** Serves a declaration on a store while `work` calls it. */
export async function serving<T>(
  declaration: ApiDeclaration,
  databaseUrl: string,
  work: (call: Call) => Promise<T>,
): Promise<T> {
  const served = await testApi(declaration, { databaseUrl })
  try {
    const key = await served.key('acme', { name: randomUUID() })
    return await work(async (method, path, body) => {
      const response = await served.fetch(`/v1/${path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = response.status === 204 ? '{}' : await response.text()
      const { data } = JSON.parse(text) as { readonly data: Data & readonly Data[] }
      return { status: response.status, data, list: data, etag: response.headers.get('etag') ?? '' }
    })
  } finally {
    await served.close()
  }
}

async function followed(store: Store, declaration: ApiDeclaration, following: Following, dryRun: boolean) {
  const decider = { by: 'person', ...following } as const
  const migrated = await migrateUnserved(store, compileApi(declaration), {
    decider,
    dryRun,
    clock: systemClock,
  })
  const additions: readonly Step[] = migrated.steps.filter(isShownAddition)
  return { ...migrated, additions }
}

/** A store without a published version, whose declaration changes. */
export function followingStore(store: Store, databaseUrl: string) {
  return {
    follow: (declaration: ApiDeclaration, following: Following = {}, dryRun = false) =>
      followed(store, declaration, following, dryRun),
    create: (
      declaration: ApiDeclaration,
      path: string,
      bodies: readonly object[],
    ): Promise<readonly Data[]> =>
      serving(declaration, databaseUrl, async (call) => {
        const made: Data[] = []
        for (const body of bodies) {
          const { status, data } = await call('POST', path, body)
          expect([status, data]).toEqual([201, expect.anything()])
          made.push(data)
        }
        return made
      }),
    list: (declaration: ApiDeclaration, path: string): Promise<readonly Data[]> =>
      serving(declaration, databaseUrl, async (call) => (await call('GET', `${path}?limit=100`)).list),
  }
}
