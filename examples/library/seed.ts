interface Row {
  readonly resource: string
  readonly values: { readonly id: string; readonly [field: string]: unknown }
}

const accounts = ['riverside', 'hillside']
const libraries = ['catalogue', ...accounts]
const start = Date.UTC(2026, 8, 1, 9)
const hour = 3_600_000

/** The nth row of a town, an hour after the one before. Ids are UUIDv7: a time, then which library, which resource and which row. */
const row = (town: string, place: number, resource: string, n: number, values: object): Row => {
  const time = start + (place * 100 + n) * hour
  const at = new Date(time).toISOString()
  return { resource, values: { id: idOf(town, place, n), ...values, created_at: at, updated_at: at } }
}

const idOf = (town: string, place: number, n: number): string => {
  const stamp = (start + (place * 100 + n) * hour).toString(16).padStart(12, '0')
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-7000-800${libraries.indexOf(town)}-${String(n).padStart(12, '0')}`
}

const books: readonly Row[] = [
  ['9780141439600', 'A Tale of Two Cities', 'Charles Dickens'],
  ['9780141439518', 'Pride and Prejudice', 'Jane Austen'],
  ['9780141439556', 'Wuthering Heights', 'Emily Brontë'],
  ['9780141441146', 'Jane Eyre', 'Charlotte Brontë'],
  ['9780141439471', 'Frankenstein', 'Mary Shelley'],
  ['9780141439846', 'Dracula', 'Bram Stoker'],
  ['9780141439549', 'Middlemarch', 'George Eliot'],
  ['9780142437247', 'Moby-Dick', 'Herman Melville'],
].map(([isbn, title, author], n) => row('catalogue', 1, 'books', n, { isbn, title, author }))

const bookId = (n: number): string => idOf('catalogue', 1, n)
const branchId = (town: string, n: number): string => idOf(town, 2, n)
const memberId = (town: string, n: number): string => idOf(town, 3, n)
const copyId = (town: string, n: number): string => idOf(town, 4, n)
const loanId = (town: string, n: number): string => idOf(town, 5, n)

const branches = (town: string): readonly Row[] =>
  ['north', 'south'].map((code, n) => row(town, 2, 'branches', n, { code, name: `${code} ${town}` }))

const names = ['Ada', 'Bo', 'Chidi', 'Dana']
const members = (town: string): readonly Row[] =>
  names.map((name, n) =>
    row(town, 3, 'members', n, {
      name,
      email: `${name.toLowerCase()}@${town}.example`,
      notes: n % 2 === 0 ? `${name} is often late.` : null,
    }),
  )

/** Two copies of each book: one in the north, one in the south. */
const copies = (town: string): readonly Row[] =>
  Array.from({ length: 16 }, (_, n) =>
    row(town, 4, 'copies', n, {
      book_id: bookId(n >> 1),
      branch_id: branchId(town, n % 2),
      label: `${town.slice(0, 1).toUpperCase()}-${String(n + 1).padStart(3, '0')}`,
    }),
  )

/** `[member, copy, status, due on]`: Ada has five copies at home, so that a sixth is refused. */
const borrowed: readonly (readonly [number, number, string, string | null])[] = [
  [0, 0, 'active', '2026-12-01'],
  [0, 2, 'active', '2026-12-01'],
  [0, 5, 'active', '2026-12-08'],
  [0, 7, 'active', '2026-12-08'],
  [0, 8, 'active', '2026-12-15'],
  [0, 10, 'reserved', null],
  [1, 1, 'active', '2026-12-01'],
  [1, 3, 'returned', '2026-10-01'],
  [1, 4, 'lost', '2026-09-15'],
  [2, 6, 'returned', '2026-09-15'],
  [2, 9, 'reserved', null],
  [3, 11, 'active', '2026-12-24'],
]

/** `[loan, amount, reason, paid]` */
const owed: readonly (readonly [number, number, string, boolean])[] = [
  [0, 150, 'Three days late', false],
  [7, 50, 'A day late', true],
  [8, 2400, 'Lost', false],
  [9, 100, 'Two days late', true],
]

const loansAndFines = (town: string): readonly Row[] => [
  ...borrowed.map(([member, copy, status, due_on], n) =>
    row(town, 5, 'loans', n, {
      member_id: memberId(town, member),
      copy_id: copyId(town, copy),
      status,
      due_on,
    }),
  ),
  ...owed.map(([loan, amount, reason, paid], n) =>
    row(town, 6, 'fines', n, { loan_id: loanId(town, loan), amount, reason, paid }),
  ),
]

const desk = ['branches:read', 'members:read', 'copies:read', 'loans:read', 'loans:write', 'fines:read']
/** In production these callers have tokens, whose claims an identity provider vouches for. */
const demoKeys = [
  {
    account: 'riverside',
    name: 'ada',
    subject: 'ada',
    scopes: desk,
    claims: { member_id: memberId('riverside', 0) },
    reads: ['/v1/loans?include=copy.book', '/v1/fines', '/v1/books'],
  },
  {
    account: 'riverside',
    name: 'north-desk',
    scopes: [...desk, 'loans:branch', 'members:all'],
    claims: { branch: 'north' },
    reads: ['/v1/loans?include=member,copy.branch'],
  },
  {
    account: 'riverside',
    name: 'office',
    scopes: ['*'],
    reads: ['/v1/loans', '/v1/members?filter[notes][ne]=null'],
  },
]

/** Rows for an empty store, the same on every machine: two towns with a library each, and the catalogue that both use. */
export const seed = {
  accounts,
  shared: () => books,
  account: (town: string) => [...branches(town), ...members(town), ...copies(town), ...loansAndFines(town)],
  demoKeys,
}
