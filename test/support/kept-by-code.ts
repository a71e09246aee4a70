interface Kept {
  readonly id: string
  readonly [field: string]: unknown
}
type KeptOfAccount = Kept & { readonly account: string }

type Test = { readonly [operator: string]: unknown }

interface AskedRows {
  readonly filter: object
  readonly sort: readonly string[]
  readonly limit: number | undefined
  readonly after: string | undefined
}

const meets = (value: unknown, test: Test): boolean =>
  Object.entries(test).every(([operator, wanted]) => {
    if (operator === 'in') return (wanted as unknown[]).includes(value)
    if (operator === 'eq') return value === wanted
    if (operator === 'ne') return value !== wanted
    if (value === null || wanted === null) return false
    const [a, b] = [value as number, wanted as number]
    return { gt: a > b, gte: a >= b, lt: a < b, lte: a <= b }[operator] === true
  })

/** NULLs first, as the store has them. */
const compare = (a: unknown, b: unknown): number => {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? -1 : 1
  return (a as never) < (b as never) ? -1 : 1
}

const shown = (row: KeptOfAccount | undefined) => {
  if (!row) return null
  const { account, ...rest } = row
  return rest as never
}

/** Code of a noun that keeps its rows in an array, as the store would: by account, filtered, in order, in pages. `ids` are those of its next rows. */
export function keptByCode() {
  const rows: KeptOfAccount[] = []
  const ids: string[] = []
  const answers = {
    create(input: object, { account, now }: { readonly account: string; readonly now: string }) {
      const row = { ...input, id: ids.shift() ?? '', created_at: now, updated_at: now }
      rows.push({ ...row, account })
      return row as never
    },
    get(id: string, { account }: { readonly account: string }) {
      return shown(rows.find((row) => row.id === id && row.account === account))
    },
    list(query: AskedRows, { account }: { readonly account: string }) {
      const { limit = Number.POSITIVE_INFINITY, after, sort } = query
      const keys = [...sort, sort.at(-1)?.startsWith('-') ? '-id' : 'id']
      const found = rows
        .filter((row) => row.account === account)
        .filter((row) => Object.entries(query.filter).every(([name, test]) => meets(row[name], test as Test)))
        .sort((a, b) => {
          for (const key of keys) {
            const name = key.replace('-', '')
            const order = compare(a[name], b[name]) * (key.startsWith('-') ? -1 : 1)
            if (order !== 0) return order
          }
          return 0
        })
      const from = after === undefined ? 0 : found.findIndex(({ id }) => id === after) + 1
      const some = found.slice(from, from + limit)
      const next = from + limit < found.length ? (some.at(-1)?.id ?? null) : null
      return { rows: some.map((row) => shown(row) as never), next }
    },
  }
  return { rows, ids, answers }
}
