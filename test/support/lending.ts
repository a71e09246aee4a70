import { z } from 'zod'
import {
  anyOf,
  api,
  belongsTo,
  hasMany,
  renameField,
  renameResource,
  resource,
  states,
  version,
} from '../../src/index.ts'

/**
 * Loans that members, the librarians of a city and the staff may see, in two versions. A member has the claim `member_id`, a librarian
 * the claim `city`, the staff the scope `lending:all`.
 */
const branches = resource('branches', {
  fields: { city: z.string() },
  relations: { copies: hasMany('copies') },
  include: ['copies', 'copies.loans'],
})
const members = resource('members', {
  fields: { name: z.string(), email: z.string().optional() },
  relations: { loans: hasMany('loans', { cap: 2 }) },
  unique: ['email'],
  include: ['loans', 'loans.fines', 'loans.copy'],
  rules: {
    read: ({ row, caller }) => anyOf(caller.has('lending:all'), row.id.is(caller.claim('member_id'))),
  },
})
const copies = resource('copies', {
  fields: { label: z.string() },
  relations: { branch: belongsTo(branches), loans: hasMany('loans') },
  include: ['branch', 'loans', 'loans.member'],
})
const loans = resource('loans', {
  fields: {
    days: z.int(),
    note: z.string().optional(),
    status: states('reserved', { reserved: ['active'], active: ['returned'] }),
  },
  relations: {
    member: belongsTo(members),
    copy: belongsTo(copies),
    fines: hasMany('fines'),
  },
  filter: ['days', 'status', 'member_id', 'note'],
  sort: ['days', 'note'],
  include: ['member', 'copy', 'copy.branch', 'fines'],
  rules: {
    read: ({ row, caller }) =>
      anyOf(
        caller.has('lending:all'),
        row.member_id.is(caller.claim('member_id')),
        row.copy.branch.city.is(caller.claim('city')),
      ),
    update: ({ row, caller }) => anyOf(caller.has('lending:all'), row.status.in(['reserved', 'active'])),
    delete: ({ row, caller }) => anyOf(caller.has('lending:all'), row.status.is('reserved')),
  },
})
const fines = resource('fines', {
  fields: { amount: z.int() },
  relations: { loan: belongsTo(loans) },
  sort: ['amount'],
  include: ['loan', 'loan.member', 'loan.copy'],
  rules: {
    read: ({ row, caller }) =>
      anyOf(caller.has('lending:all'), row.loan.member_id.is(caller.claim('member_id'))),
    create: ({ caller }) => caller.has('lending:all'),
  },
})

export const lending = api('lending', {
  resources: [branches, members, copies, loans, fines],
  scopes: { 'lending:all': 'See and write everything of the library.' },
  versions: [
    version('v2'),
    version('v1', {
      changes: [renameResource('borrowings', 'loans'), renameField('loans', 'duration', 'days')],
    }),
  ],
})

/** What every caller of the lending API may do, before rules: everything but `lending:all`. */
export const lendingScopes = ['branches', 'members', 'copies', 'loans', 'fines'].flatMap((name) => [
  `${name}:read`,
  `${name}:write`,
])
