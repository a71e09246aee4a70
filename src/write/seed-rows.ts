import { type Mistake, Mistakes } from '../compile/mistakes.ts'
import type { Model, Resource, View } from '../compile/model.ts'
import { didYouMean } from '../compile/names/nearest.ts'
import type { JsonObject } from '../compile/schemas/canonical.ts'
import { seedAccounts } from '../compile/service/accounts.ts'
import type { SeedRow } from '../declare/api.ts'
import type { Value } from '../store/store.ts'
import { type RowFault, wholeRow } from './read-whole-row.ts'
import { rowValues } from './row-change.ts'
import { type WholeSeedRow, withSums } from './seed-sums.ts'

/** A row of the seed as it is inserted. */
export interface BoundSeedRow extends Omit<WholeSeedRow, 'row'> {
  readonly values: readonly Value[]
}

/** All rows that are declared, shared ones first, in their stored form; throws all mistakes before any is inserted. */
export function seedRows(model: Model, now: number): readonly BoundSeedRow[] {
  const { seed } = model.declaration
  if (!seed) return []
  const lists = [
    { where: 'seed.shared()', account: '', rows: () => seed.shared?.() },
    ...seedAccounts(model.declaration).map((account) => ({
      where: model.soleAccount === null ? `seed.account(${JSON.stringify(account)})` : 'seed.account()',
      account,
      rows: () => seed.account?.(account),
    })),
  ]
  const mistakes: Mistake[] = []
  const all: WholeSeedRow[] = []
  for (const { where, account, rows } of lists)
    for (const [at, row] of called(where, rows).entries()) {
      const read = readSeedRow(model, row, { where: `${where}[${at}]`, account, now })
      if ('resource' in read) all.push(read)
      else mistakes.push(...read)
    }
  if (mistakes.length > 0) throw new Mistakes(mistakes)
  return withSums(all).map(({ row, ...one }) => ({
    ...one,
    values: rowValues(one.resource, one.account, row),
  }))
}

function called(where: string, rows: () => readonly SeedRow[] | undefined): readonly SeedRow[] {
  let list: readonly SeedRow[]
  try {
    list = rows() ?? []
  } catch (error) {
    throw mistake(where, `It threw ${thrown(error)}.`, 'Nothing was seeded.', error)
  }
  if (Array.isArray(list)) return list
  throw mistake(where, 'It must return a list.', 'Write rows such as { resource, values: { id, … } }.')
}

/** With the first line of the stack, which is in the declaration; the rest is the engine's. */
const thrown = (error: unknown): string => {
  const place = error instanceof Error ? error.stack?.split('\n').find((line) => /^\s+at /.test(line)) : null
  return place ? `${error} (${place.trim()})` : String(error)
}

interface Place {
  readonly where: string
  readonly account: string
  readonly now: number
}

/** A row with all its fields, or all that is wrong with it. */
function readSeedRow(
  model: Model,
  declared: SeedRow,
  { where, account, now }: Place,
): WholeSeedRow | readonly Mistake[] {
  const view = viewOf(model, declared?.resource)
  if (!view) return [noResource(model, where, declared?.resource)]
  const { resource } = view
  if (account === '' && !resource.shared) return [notShared(resource, where)]
  const values: JsonObject = declared.values ?? {}
  const isKnown = (name: string): boolean => view.field.has(name) || resource.field.has(name)
  const names = Object.keys(values)
  const known = Object.fromEntries(names.filter(isKnown).map((name) => [name, values[name]]))
  const read = wholeRow(view, known, now)
  const mistakes = [
    ...names.filter((name) => !isKnown(name)).map((name) => unknownField(view, where, name)),
    // A request gives a row a new id. Rows of a seed refer to each other, so that each says its own.
    ...(known.id === undefined ? [valueMistake(where, { field: 'id', detail: 'is required' })] : []),
    ...('row' in read ? [] : read.map((fault) => valueMistake(where, fault))),
  ]
  if (mistakes.length > 0 || !('row' in read)) return mistakes
  return { where, account, resource, row: read.row }
}

/** Rows that the engine itself makes cannot be seeded. */
const viewOf = (model: Model, name: string): View | undefined =>
  model.stored.get(name)?.engineMade === false ? model.head.viewOf.get(name) : undefined

const noResource = (model: Model, where: string, name: unknown): Mistake => ({
  where,
  what: `There is no resource ${JSON.stringify(name)}.`,
  hint: didYouMean(
    String(name),
    [...model.stored.keys()].filter((known) => viewOf(model, known)),
  ),
})

const notShared = ({ name }: Resource, where: string): Mistake => ({
  where,
  what: `${name} is not shared: each of its rows belongs to an account, and rows of seed.shared() belong to none.`,
  hint: `Return it from seed.account(account), or declare ${name} with shared: true.`,
})

const unknownField = (view: View, where: string, name: string): Mistake => ({
  where: `${where}.values.${name}`,
  what: `${view.name} has no field "${name}".`,
  hint: didYouMean(name, view.field.keys()),
})

const valueMistake = (where: string, { field, detail }: RowFault): Mistake => ({
  where: field === null ? where : `${where}.values.${field}`,
  what: `It ${detail}.`,
  hint: 'Give it a value as in the body of a request.',
})

const mistake = (where: string, what: string, hint: string, cause?: unknown): Mistakes =>
  Object.assign(new Mistakes([{ where, what, hint }]), { cause })
