import type { Call } from '../call/call.ts'
import { mayKnow } from '../call/grants.ts'
import type { StoredRow } from '../call/stored-row.ts'
import type { Field } from '../compile/model.ts'
import { pointerStep } from '../compile/schemas/validate.ts'
import { bound } from '../plan/bind.ts'
import { knownField } from '../plan/row-statements.ts'
import { problem } from '../problems.ts'
import { sentFor } from '../request/customs.ts'
import { FieldErrors, placedError } from '../request/field-errors.ts'
import type { Value } from '../store/store.ts'
import { createDecision } from './judge.ts'
import type { Attempt, WriteRequest } from './write-request.ts'

/** The columns of one row whose values another row has. */
interface Collision {
  readonly place: string
  readonly columns: readonly string[]
  /** The row of the same list that has the values; null for a stored row. */
  readonly like?: string
}

/** The problem with values that must be unique and are not. */
function taken({ target, caller }: Call, collisions: readonly Collision[]): Error {
  const { view } = target
  const errors = new FieldErrors()
  const named = new Set<string>()
  const seen = new Set<string>()
  for (const { place, columns, like } of collisions) {
    const fields = new Set(columns.flatMap((column) => sentFor(view, (field) => field.column === column)))
    const shown = view.fields.filter((field) => fields.has(field) && mayKnow(field, caller.scopes))
    const detail = like === undefined ? 'is taken' : `is the same as in ${like.slice(1)}`
    const pointers = shown.map(({ name }) => `#/${pointerStep(name)}`)
    if (shown.length > 0) named.add(shown.map(({ name }) => name).join(', '))
    // Of a row in a list it is told which one it is, even where the field cannot be named.
    for (const pointer of pointers.length > 0 || place === '' ? pointers : ['#']) {
      // A field may be in several sets.
      if (!seen.has(place + pointer))
        errors.add(() => placedError({ pointer, detail, code: 'unique' }, place))
      seen.add(place + pointer)
    }
  }
  const names = [...named]
  const what =
    names.length > 1
      ? 'These values are'
      : names[0]?.includes(',')
        ? 'These values together are'
        : 'This value is'
  const places = [...new Set(collisions.flatMap(({ place }) => (place === '' ? [] : [place.slice(1)])))]
  const more = places.length > mostPlaces ? ` and ${places.length - mostPlaces} more` : ''
  const where = places.length > 0 ? ` in ${places.slice(0, mostPlaces).join(', ')}${more}` : ''
  return problem('unique-conflict', {
    detail: `${names.join('; ') || 'A value'} must be unique in ${view.name}. ${what} taken${where}.`,
    ...errors.details,
  })
}

const mostPlaces = 10

/**
 * The problem with rows of which the store refused one, for one unique set, and does not say which row, nor whether other sets are taken too. All
 * rows are compared with each other and looked up. The row that was in the way may be gone since; then the refusal names the fields alone.
 */
export async function takenAmong(
  write: WriteRequest,
  attempts: readonly Attempt[],
  refused: readonly string[],
): Promise<Error> {
  const { resource } = write.call.target.view
  const isOne = attempts[0]?.place === ''
  const alone = { place: isOne ? '' : listPlace, columns: refused }
  if (isOne && resource.uniques.length === 1) return taken(write.call, [alone])
  // Rows of a list that a hook has not seen yet are not judged. What they collide with may be a row that the caller may not read.
  const judged = createDecision(write.call) === null ? attempts.filter(({ written }) => written) : attempts
  const found: Collision[] = []
  for (const set of resource.uniques) {
    const fields = set.map((name) => knownField(resource, name))
    const columns = fields.map(({ column }) => column)
    const asked = judged.flatMap(({ place, before, written, asked }) => {
      const values = valuesOf(fields, written ?? asked)
      // A value that the row has already cannot be taken by another row.
      const isKept = before && JSON.stringify(values) === JSON.stringify(valuesOf(fields, before))
      return values && !isKept ? [{ place, values }] : []
    })
    const stored = await storedAmong(
      write,
      set,
      asked.map(({ values }) => values),
    )
    const first = new Map<string, string>()
    for (const [at, { place, values }] of asked.entries()) {
      const key = JSON.stringify(values)
      const like = first.get(key)
      if (like !== undefined) found.push({ place, columns, like })
      else if (stored.has(at)) found.push({ place, columns })
      else first.set(key, place)
    }
  }
  return taken(write.call, found.length > 0 ? found : [alone])
}

const listPlace = '/data'

/** The values of a unique set; null where one is unset, which collides with nothing. */
function valuesOf(fields: readonly Field[], row: StoredRow): readonly Value[] | null {
  if (fields.some(({ name }) => row[name] === null || row[name] === undefined)) return null
  return fields.map((field) => bound(field, row[field.name]))
}

/** The indexes of the values that stored rows have. */
async function storedAmong(
  write: WriteRequest,
  set: readonly string[],
  values: readonly (readonly Value[])[],
): Promise<ReadonlySet<number>> {
  const { text, bind } = write.writer.planner.taken(write.call.target.view.resource, set)
  const indexed = JSON.stringify(values.map((one, at) => [at, ...one]))
  const found = await write.from.all(text, bind({ account: write.call.caller.account, values: [indexed] }))
  return new Set(found.map(([at]) => Number(at)))
}
