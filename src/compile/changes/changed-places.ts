import type { Change } from '../../declare/change.ts'
import { changedResource, storeEffects } from '../change-kinds/change-kinds.ts'
import type { MistakeList } from '../mistakes.ts'
import { cyclesOf } from '../names/cycles.ts'

/**
 * Names that change places within one version are a mistake: whoever reads a log, a dashboard or a query of that day could not tell which of
 * the two is meant. Names that move on are not: `a` becomes `b` and `b` becomes `c`.
 */
export function checkChangedPlaces(version: string, changes: readonly Change[], mistakes: MistakeList): void {
  refuseCycles(version, 'resources', renames(storeEffects(changes, 'table-renamed')), mistakes)
  for (const [resource, own] of Map.groupBy(changes, changedResource)) {
    refuseCycles(version, `fields of ${resource}`, renames(storeEffects(own, 'column-renamed')), mistakes)
    refuseCycles(
      version,
      `relations of ${resource}`,
      renames(storeEffects(own, 'relation-renamed')),
      mistakes,
    )
    for (const { field, values } of storeEffects(own, 'values-mapped'))
      refuseCycles(version, `values of ${resource}.${field}`, new Map(Object.entries(values)), mistakes)
  }
}

const renames = (
  all: readonly { readonly from: string; readonly to: string }[],
): ReadonlyMap<string, string> => new Map(all.map(({ from, to }) => [from, to]))

function refuseCycles(
  version: string,
  what: string,
  names: ReadonlyMap<string, string>,
  mistakes: MistakeList,
): void {
  for (const cycle of cyclesOf(names)) {
    if (cycle.length === 1) continue
    const moves = cycle.map((name) => `${name} became ${names.get(name)}`).join(', ')
    mistakes.add(
      `${version}.changes`,
      `${what} change places: ${moves}.`,
      'Do it in two versions: give one of them a third name first.',
    )
  }
}
