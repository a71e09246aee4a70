import { type Mistake, Mistakes } from '../compile/mistakes.ts'
import type { Field, Model, Resource } from '../compile/model.ts'
import { didYouMean } from '../compile/nearest.ts'
import type { SeedDeclaration, SeedRow } from '../declare/api.ts'
import { bound } from '../plan/bind.ts'
import type { Value } from '../store/store.ts'
import { serverValue } from './new-row.ts'

/** A row of the seed as it is inserted. */
export interface BoundSeedRow {
  /** For messages: `seed.account("acme")[3]` */
  readonly where: string
  readonly account: string
  readonly resource: Resource
  readonly values: readonly Value[]
}

/** All rows that are declared, shared ones first; throws Mistakes before any is inserted. */
export function seedRows(model: Model, seed: SeedDeclaration, now: string): readonly BoundSeedRow[] {
  const lists = [
    { where: 'seed.shared()', account: '', rows: () => seed.shared?.() },
    ...seed.accounts.map((account) => ({
      where: `seed.account(${JSON.stringify(account)})`,
      account,
      rows: () => seed.account?.(account),
    })),
  ]
  return lists.flatMap(({ where, account, rows }) =>
    called(where, rows).map((row, at) => boundRow(model, row, { where: `${where}[${at}]`, account, now })),
  )
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

function boundRow(
  model: Model,
  row: SeedRow,
  { where, account, now }: { readonly where: string; readonly account: string; readonly now: string },
): BoundSeedRow {
  const resource = model.resources.get(row?.resource)
  if (!resource)
    throw mistake(
      where,
      `There is no resource ${JSON.stringify(row?.resource)}.`,
      didYouMean(String(row?.resource), model.resources.keys()),
    )
  const given: { readonly [field: string]: unknown } = row.values ?? {}
  const values = resource.fields.map((field) => {
    const value = given[field.name] ?? serverValue(field, String(given.id ?? ''), now)
    return bound(field, field.name === 'id' ? given.id : value)
  })
  const mistakes = [
    ...unknownFields(where, resource, given),
    ...resource.fields.flatMap((field, at) => valueMistakes(where, resource, field, values[at])),
  ]
  if (mistakes.length > 0) throw new Mistakes(mistakes)
  return { where, account, resource, values }
}

function unknownFields(where: string, resource: Resource, given: object): readonly Mistake[] {
  const fields = new Set(resource.fields.map(({ name }) => name))
  // The field that was meant is one without a value.
  const unset = [...fields].filter((field) => !(field in given))
  return Object.keys(given)
    .filter((name) => !fields.has(name))
    .map((name) => ({
      where: `${where}.values.${name}`,
      what: `${resource.name} has no field "${name}".`,
      hint: unset.length > 0 ? didYouMean(name, unset) : 'Leave it out.',
    }))
}

function valueMistakes(where: string, resource: Resource, field: Field, value: unknown): readonly Mistake[] {
  const at = `${where}.values.${field.name}`
  if (value === null && !field.nullable)
    return [{ where: at, what: `Every row of ${resource.name} has one.`, hint: 'Give it a value.' }]
  if (value === null || typeof value === 'string' || typeof value === 'number') return []
  return [{ where: at, what: `It is of type ${typeof value}.`, hint: 'Write a text or a number.' }]
}

const mistake = (where: string, what: string, hint: string, cause?: unknown): Mistakes =>
  Object.assign(new Mistakes([{ where, what, hint }]), { cause })
