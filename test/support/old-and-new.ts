import type { ApiDeclaration } from '../../src/declare/api.ts'
import type { StoreKind } from './databases.ts'
import { type Serving, serve } from './serving.ts'

export interface OldAndNew {
  readonly old: Serving
  readonly now: Serving
}

/** A declaration as it was published and as it was edited since, on one store: the edit must not change its tables. */
export const serveBoth = async (
  kind: StoreKind,
  url: string,
  before: ApiDeclaration,
  after: ApiDeclaration,
): Promise<OldAndNew> => ({
  old: await serve(kind, url, { declaration: before }),
  now: await serve(kind, url, { declaration: after }),
})
