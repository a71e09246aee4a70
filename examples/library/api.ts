import { allOf, anyOf, api, belongsTo, hasMany, needsScope, resource, states, version } from 'nounkit'
import { z } from 'zod'
import { seed } from './seed.ts'

const branches = resource('branches', {
  description: 'The places where people borrow.',
  fields: {
    code: z.string().min(1).max(20).describe('A short name, such as north.'),
    name: z.string().min(1).max(100).describe('As it stands above the door.'),
  },
  relations: { copies: hasMany('copies', { description: 'What stands on its shelves.' }) },
  unique: ['code'],
  sort: ['name'],
  include: ['copies'],
})

const members = resource('members', {
  description: 'People with a library card.',
  fields: {
    name: z.string().min(1).max(100).describe('As it stands on the card.'),
    email: z.email().describe('Where reminders go.'),
    notes: needsScope(
      'members:notes',
      z.string().max(500).optional().describe('What the staff should know.'),
    ),
  },
  relations: { loans: hasMany('loans', { description: 'Everything they borrowed.' }) },
  unique: ['email'],
  filter: ['email', 'notes'],
  sort: ['name', 'notes'],
  include: ['loans'],
  rules: {
    read: ({ row, caller }) => anyOf(caller.has('members:all'), row.id.is(caller.claim('member_id'))),
  },
})

const books = resource('books', {
  description: 'The catalogue, shared by all libraries.',
  shared: true,
  fields: {
    isbn: z.string().length(13).describe('Thirteen digits.'),
    title: z.string().min(1).max(200).describe('As it stands on the cover.'),
    author: z.string().min(1).max(200).describe('Who wrote it.'),
  },
  unique: ['isbn'],
  filter: ['isbn', 'author'],
  sort: ['title', 'author'],
  scopes: { read: 'authenticated' },
})

const copies = resource('copies', {
  description: 'A book on a shelf.',
  fields: { label: z.string().min(1).max(20).describe('What the sticker on its back says.') },
  relations: {
    book: belongsTo(books, { description: 'Which book it is.' }),
    branch: belongsTo(branches, { description: 'Where it stands.' }),
    loans: hasMany('loans', { description: 'Who had it, and when.' }),
  },
  unique: ['label'],
  filter: ['book_id', 'branch_id'],
  sort: ['label'],
  include: ['book', 'branch', 'loans', 'loans.member'],
})

const loans = resource('loans', {
  description: 'A copy that a member has reserved, has, or had.',
  fields: {
    status: states(
      'reserved',
      { reserved: ['active'], active: ['returned', 'lost'], lost: ['returned'] },
      { description: 'Where the copy is.' },
    ),
    due_on: z.iso.date().optional().describe('When it has to be back.'),
  },
  relations: {
    member: belongsTo(members, { immutable: true, description: 'Who borrows.' }),
    copy: belongsTo(copies, { immutable: true, description: 'What is borrowed.' }),
    fines: hasMany('fines', { description: 'What it cost to be late.' }),
  },
  filter: ['status', 'member_id', 'copy_id', 'due_on'],
  sort: ['due_on', 'created_at'],
  include: ['member', 'copy', 'copy.book', 'copy.branch', 'fines'],
  rules: {
    read: ({ row, caller }) =>
      anyOf(
        caller.has('loans:all'),
        allOf(caller.has('loans:branch'), row.copy.branch.code.is(caller.claim('branch'))),
        row.member_id.is(caller.claim('member_id')),
      ),
    // Members reserve and see. Who lends and takes back is at a desk.
    update: ({ row, caller }) =>
      anyOf(
        caller.has('loans:all'),
        allOf(caller.has('loans:branch'), row.copy.branch.code.is(caller.claim('branch'))),
      ),
    // Everybody who sees a reservation may take it back.
    delete: ({ row }) => row.status.is('reserved'),
  },
  problems: {
    'too-many-loans': {
      status: 409,
      title: 'The member has five active loans',
      description: 'Nobody has more than five copies at home.',
      fix: 'Bring one back first.',
    },
  },
  hooks: {
    async beforeUpdate(loan, before, { find, count, reject }) {
      if (loan.status !== 'active' || before.status === 'active') return
      // The lock makes a second loan of the member wait here until this one is committed or undone.
      await find('members', loan.member_id, { lock: true })
      const active = await count('loans', { member_id: loan.member_id, status: 'active' })
      if (active >= 5)
        reject({ code: 'too-many-loans', detail: 'The member has five copies at home.', field: 'status' })
    },
  },
})

const fines = resource('fines', {
  description: 'What a member owes for a loan.',
  fields: {
    amount: z.int().min(1).describe('In cents.'),
    reason: z.string().min(1).max(200).describe('What for.'),
    paid: z.boolean().default(false).describe('Whether it is settled.'),
  },
  relations: { loan: belongsTo(loans, { immutable: true, description: 'The loan it is for.' }) },
  filter: ['paid', 'loan_id', 'loan.status', 'loan.member.name'],
  sort: ['amount'],
  include: ['loan', 'loan.copy', 'loan.member'],
  rules: {
    read: ({ row, caller }) =>
      anyOf(caller.has('loans:all'), row.loan.member_id.is(caller.claim('member_id'))),
  },
})

export default api('library', {
  title: 'The library',
  description: 'Loans of a town library: members see their own, librarians those of their branch.',
  scopes: {
    'members:all': 'See every member.',
    'loans:all': 'See every loan and every fine.',
    'loans:branch': 'See and change the loans of one branch, which the claim `branch` names.',
    'members:notes': 'Read and write what the staff should know of a member.',
  },
  resources: [branches, members, books, copies, loans, fines],
  versions: [version('v1', { published: '2026-11-01' })],
  seed,
})
