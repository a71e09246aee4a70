import type {
  Contract,
  ContractField,
  ContractRelation,
  ContractResource,
} from '../../compile/contract-format.ts'
import type { Model, Version, View, ViewRelation } from '../../compile/model.ts'
import { serverFields } from '../../compile/resources/declared-fields.ts'
import { withoutOrder } from '../../compile/schemas/order.ts'
import {
  type MapValues,
  mapValues,
  type RenameField,
  type RenameRelation,
  type RenameResource,
  renameField,
  renameRelation,
  renameResource,
} from '../../declare/change.ts'
import { contractOf } from '../contract.ts'
import type { Difference } from '../diff/difference.ts'

/** A possible change, and the differences that it would explain. */
export interface Guess {
  readonly change: RenameResource | RenameField | RenameRelation | MapValues
  readonly lifts: (difference: Difference) => boolean
}

/**
 * Something removed and something of the same form added in the next newer version is probably a rename. Where
 * several have that form, only a person knows which became which, so nothing is guessed.
 */
export const guessRenames = (model: Model, older: Version, promise: Contract): readonly Guess[] => {
  const { successor: newer } = older
  if (!newer) return []
  const now = contractOf(model, newer)
  const views = [...older.views.values()].flatMap((view): Crossing[] => {
    const next = newer.viewOf.get(view.resource.name)
    const promised = promise.resources[view.name]
    const shown = next && now.resources[next.name]
    return next && promised && shown ? [{ view, next, promised, shown }] : []
  })
  return [
    ...renamedResources(older, newer, promise, now),
    ...views.flatMap((one) => renamedRelations(one, older)),
    ...views.flatMap(renamedFields),
    ...views.flatMap(renamedValues),
  ]
}

/** One resource in two neighbouring versions: both views, the frozen contract of the older, and the contract of the newer. */
interface Crossing {
  readonly view: View
  readonly next: View
  readonly promised: ContractResource
  readonly shown: ContractResource
}

type Named = readonly [string, ContractResource]

/** Fields may have been renamed along with their resource. */
const renamedResources = (
  older: Version,
  newer: Version,
  promise: Contract,
  now: Contract,
): readonly Guess[] => {
  const gone: readonly Named[] = Object.entries(promise.resources).filter(([name]) => !older.views.has(name))
  const come: readonly Named[] = Object.entries(now.resources).filter(([name]) => {
    const image = older.viewOf.get(newer.views.get(name)?.resource.name ?? '')
    return !image || !promise.resources[image.name]
  })
  const same = onlyPairs(gone, come, ([, from], [, to]) => likeness(from, to) === 1)
  const paired = new Set(same.flat())
  const unpaired = (all: readonly Named[]) => all.filter((one) => !paired.has(one))
  const alike = onlyPairs(unpaired(gone), unpaired(come), ([, from], [, to]) => likeness(from, to) >= 0.5)
  return [...same, ...alike].map(([[from], [to]]) => ({
    change: renameResource(from, to),
    lifts: lifts('resource removed', from),
  }))
}

const renamedRelations = ({ view, next, promised }: Crossing, older: Version): readonly Guess[] => {
  const gone = Object.entries(promised.relations).filter(([name]) => !view.relations.has(name))
  const come = [...next.relations.values()].filter(({ relation }) => {
    const image = view.relations.values().find((one) => one.relation === relation)
    return !image || !promised.relations[image.name]
  })
  const same = ([, from]: readonly [string, ContractRelation], to: ViewRelation): boolean =>
    (from.kind === 'to-one') === (to.relation.kind === 'belongs-to') &&
    from.resource === older.viewOf.get(to.relation.target.name)?.name
  return onlyPairs(gone, come, same).map(([[from], to]) => ({
    change: renameRelation(next.name, from, to.name),
    lifts: lifts('relation removed', view.name, from),
  }))
}

const renamedFields = ({ view, next, promised, shown }: Crossing): readonly Guess[] => {
  const gone = Object.entries(promised.fields).filter(([name]) => !view.field.has(name))
  const come = next.fields.flatMap(({ name, field }) => {
    const image = view.fields.find((one) => one.field !== null && one.field === field)
    const form = shown.fields[name]
    return field && form && !(image && promised.fields[image.name]) ? [[name, form] as const] : []
  })
  return onlyPairs(gone, come, ([, from], [, to]) => sameForm(from, to)).map(([[from], [to]]) => ({
    change: renameField(next.name, from, to),
    lifts: lifts('field removed', view.name, from),
  }))
}

const renamedValues = ({ view, next, promised }: Crossing): readonly Guess[] =>
  view.fields.flatMap(({ name, field, schema }) => {
    const newer = next.fields.find((one) => one.field !== null && one.field === field)
    const { request, response } = promised.fields[name] ?? {}
    const [before, now] = [(request ?? response)?.schema.enum ?? [], schema.enum ?? []].map(
      (values) => new Set(values.map(String)),
    )
    if (!newer || !before || !now) return []
    const [[gone, ...alsoGone], [come, ...alsoCome]] = [
      [...before.difference(now)],
      [...now.difference(before)],
    ]
    if (gone === undefined || come === undefined || alsoGone.length + alsoCome.length > 0) return []
    return [
      { change: mapValues(next.name, newer.name, { [gone]: come }), lifts: lifts('values', view.name, name) },
    ]
  })

const lifts =
  (kind: string, resource: string, name?: string): Guess['lifts'] =>
  ({ subject }) =>
    subject.kind === kind && subject.resource === resource && subject.name === name

/** Pairs that are each other's only match. */
const onlyPairs = <A, B>(
  gone: readonly A[],
  come: readonly B[],
  same: (from: A, to: B) => boolean,
): readonly (readonly [A, B])[] =>
  gone.flatMap((from) => {
    const [to, ...others] = come.filter((one) => same(from, one))
    if (to === undefined || others.length > 0) return []
    return gone.filter((one) => same(one, to)).length === 1 ? [[from, to] as const] : []
  })

/** References are left out: they are renamed with their relation. */
const sameForm = (from: ContractField, to: ContractField): boolean =>
  from.reference === undefined && withoutOrder(from) === withoutOrder(to)

/** How many of their fields two resources share, from 0 to 1, without those that every resource has. */
const likeness = (from: ContractResource, to: ContractResource): number => {
  const [before, after] = [ownFields(from), ownFields(to)]
  return before.intersection(after).size / Math.max(before.size, after.size, 1)
}

const ownFields = ({ fields }: ContractResource): ReadonlySet<string> =>
  new Set(Object.keys(fields)).difference(serverFields)
