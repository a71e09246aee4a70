import type { Contract, ContractResource } from '../../compile/contract-format.ts'
import { breaking, type Differences, heldBack, matched, sayAt } from './difference.ts'

/**
 * A call is refused when its page size times the caps of what it includes passes the most rows of one request. So a limit that is
 * raised can refuse a call that was allowed: one such call is enough to break.
 */
export const compareIncludeRows = (older: Contract, newer: Contract): Differences =>
  matched(older.resources, newer.resources).both.flatMap(([resource, from, to]) => {
    const refused = refusedCall({ older, newer, from, to })
    if (!refused) return []
    const { paths, size, rows } = refused
    const what = `include=${paths.join(',')} ${size} was allowed and is now refused: it could return ${rows} rows of at most ${ceilingOf(newer)}`
    return [sayAt('query', resource, { resource })(breaking, what, heldBack.includeRows)]
  })

interface Pair {
  readonly older: Contract
  readonly newer: Contract
  readonly from: ContractResource
  readonly to: ContractResource
}

/** Some include paths, and how many rows they may add to one row, before and after. */
interface Choice {
  readonly paths: readonly string[]
  readonly before: number
  readonly after: number
}

interface RefusedCall {
  readonly paths: readonly string[]
  readonly size: string
  readonly rows: number
}

const ceilingOf = ({ service }: Contract): number =>
  service.limits.rows_per_request ?? Number.POSITIVE_INFINITY

const refusedCall = (pair: Pair): RefusedCall | null => {
  for (const choice of choicesAt(pair, '')) {
    for (const { size, before, after } of sizesFor(choice, pair)) {
      const wasAllowed = before * choice.before <= ceilingOf(pair.older)
      if (wasAllowed && after * choice.after > ceilingOf(pair.newer))
        return { paths: choice.paths, size, rows: after * choice.after }
    }
  }
  return null
}

/** The page sizes to check: one row, the default, and the largest that was allowed. */
const sizesFor = (choice: Choice, { older, from, to }: Pair) => {
  const { pageDefault = 1, pageMax = 1 } = from.limits
  const { pageDefault: nowDefault = 1, pageMax: nowMax = 1 } = to.limits
  const largest = Math.floor(ceilingOf(older) / choice.before)
  const limit = largest < pageMax ? largest : Math.max(pageMax, nowMax)
  return [
    { size: 'of one row', before: 1, after: 1 },
    { size: 'with the default page', before: pageDefault, after: nowDefault },
    { size: `with limit=${limit}`, before: Math.min(limit, pageMax), after: Math.min(limit, nowMax) },
  ]
}

/** The paths below a path that both contracts have. Of paths with equal rows before, the one that grew most is kept. */
const choicesAt = (pair: Pair, path: string): readonly Choice[] => {
  const { include, limits } = pair.from
  const most = limits.includeRelations ?? include.length
  const counts = include.length > most
  let choices: readonly Choice[] = [{ paths: [], before: 0, after: 0 }]
  for (const name of pair.to.include.filter((one) => parentOf(one) === path && include.includes(one))) {
    const kept = new Map<string, Choice>()
    for (const choice of [...choices, ...withPath(pair, name, choices)]) {
      if (choice.before > ceilingOf(pair.older) || choice.paths.length > most) continue
      const key = `${counts ? choice.paths.length : 0} ${choice.before}`
      if ((kept.get(key)?.after ?? -1) < choice.after) kept.set(key, choice)
    }
    choices = [...kept.values()]
  }
  return choices
}

const withPath = (pair: Pair, path: string, choices: readonly Choice[]): readonly Choice[] => {
  const [before, after] = [capOf(pair.older, pair.from, path), capOf(pair.newer, pair.to, path)]
  if (before === undefined || after === undefined) return []
  const inner = choicesAt(pair, path)
  return choices.flatMap((choice) =>
    inner.map((below) => ({
      paths: [...choice.paths, path, ...below.paths],
      before: choice.before + rowsBelow(before, below.before),
      after: choice.after + rowsBelow(after, below.after),
    })),
  )
}

const rowsBelow = (cap: number | null, below: number): number => (cap ?? 1) * (1 + below)

/** The most rows of the relation that a path ends with, null for a to-one; undefined where the contract does not say. */
const capOf = (contract: Contract, resource: ContractResource, path: string): number | null | undefined => {
  let at: ContractResource | undefined = resource
  let cap: number | null | undefined
  for (const step of path.split('.')) {
    const relation: ContractResource['relations'][string] | undefined = at?.relations[step]
    cap = relation?.kind === 'to-one' ? null : relation?.rows
    at = contract.resources[relation?.resource ?? '']
  }
  return cap
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('.')))
