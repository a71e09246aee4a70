/** The options of a list or a read, as its query string. */
export function queryOf(options: {
  readonly by?: readonly string[] | undefined
  readonly include?: readonly string[] | undefined
  readonly filter?: object | undefined
  readonly sort?: readonly string[] | undefined
  readonly search?: string | undefined
  readonly count?: boolean | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}): string {
  const query = new URLSearchParams()
  const { by, include, filter = {}, sort, search, count, limit, cursor } = options
  if (by?.length) query.set('by', by.join())
  if (include?.length) query.set('include', include.join())
  addConditions(query, 'filter', filter)
  if (sort?.length) query.set('sort', sort.join())
  // An empty one is sent, and refused: left out, it would find all rows.
  if (search !== undefined) query.set('search', search)
  if (count) query.set('count', 'true')
  if (limit !== undefined) query.set('limit', String(limit))
  if (cursor !== undefined) query.set('cursor', cursor)
  return query.toString()
}

/** Only `or` has a list of objects: alternatives, numbered from 0. */
function addConditions(query: URLSearchParams, name: string, filter: object): void {
  for (const [field, condition] of Object.entries(filter)) {
    const place = `${name}[${field}]`
    if (!Array.isArray(condition)) addCondition(query, place, condition)
    else if (condition.length === 0) query.set(place, '')
    else for (const [at, one] of condition.entries()) addAlternative(query, `${place}[${at}]`, one)
  }
}

/** Without a condition it is sent as empty, which is refused: left out, it would find other rows than were asked for. */
function addAlternative(query: URLSearchParams, place: string, conditions: object): void {
  const before = query.size
  addConditions(query, place, conditions)
  if (query.size === before) query.set(place, '')
}

function addCondition(query: URLSearchParams, name: string, condition: unknown): void {
  if (condition === undefined) return
  if (typeof condition !== 'object' || condition === null || condition instanceof Date) {
    query.set(name, valueText(condition))
    return
  }
  for (const [operator, value] of Object.entries(condition)) {
    if (value === undefined) continue
    const text = Array.isArray(value)
      ? value.map((one) => valueText(one).replace(/[\\,]/g, '\\$&')).join()
      : valueText(value)
    query.set(operator === 'eq' ? name : `${name}[${operator}]`, text)
  }
}

/** The word `null` stands for an unset value, so the text is written in quotes. */
const valueText = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString()
  return value === 'null' ? '"null"' : String(value)
}
