import library from '../../examples/library/api.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { api } from '../../src/declare/api.ts'
import { renameField, renameRelation, renameResource } from '../../src/declare/change.ts'
import { hasMany, type RelationDeclarations } from '../../src/declare/relation.ts'
import { type ResourceDeclaration, resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { type SecretRow, secretRows } from './secret-rows.ts'

/** An older version with other names looks through the same rules. */
const v1 = version('v1', {
  changes: [
    renameResource('borrowers', 'members', { why: 'One word.' }),
    renameRelation('loans', 'borrower', 'member', { why: 'It follows the resource.' }),
    renameField('fines', 'cents', 'amount', { why: 'Plainer.' }),
  ],
})
const { kind: _, name: __, ...options } = library
/** Both sides of loans, as many-to-many. */
const linked: { readonly [resource: string]: RelationDeclarations } = {
  members: { copies: hasMany('copies', { through: 'loans', cap: 3 }) },
  copies: { members: hasMany('members', { through: 'loans', cap: 3 }) },
}
const resources: readonly ResourceDeclaration[] = options.resources.map((one: ResourceDeclaration) => ({
  ...one,
  relations: { ...one.relations, ...linked[one.name] },
  include: [...(one.include ?? []), ...Object.keys(linked[one.name] ?? {})],
}))
/** Groups by references and texts, and sums, tell of rows, too. */
const totals = [
  resource('loan-totals', { totals: { of: 'loans', by: ['member_id', 'copy_id'] } }),
  resource('fine-totals', { totals: { of: 'fines', by: ['loan_id'], sums: ['amount'] } }),
]
/** The library's declaration, without its name. */
export const libraryOptions = {
  ...options,
  resources: [...resources, ...totals],
  versions: [version('v2'), v1],
}
export const model = compileApi(api('library', libraryOptions))
export const rows = secretRows(model, 4)

const named = (resource: string, id: unknown) =>
  rows.find((row) => row.resource === resource && row.values.id === id)?.values
const first = (resource: string) => rows.find((row) => row.resource === resource)?.values

/** The rules of the library once more, in the words of a test. */
export const sees = ({ scopes, claims }: CallerKind, { resource, values }: SecretRow): boolean => {
  const has = (scope: string) => scopes.includes('*') || scopes.includes(scope)
  switch (resource) {
    case 'members':
      return has('members:all') || values.id === claims.member_id
    case 'loans': {
      const branch = named('branches', named('copies', values.copy_id)?.branch_id)
      const isOfBranch = has('loans:branch') && branch?.code === claims.branch
      return has('loans:all') || isOfBranch || values.member_id === claims.member_id
    }
    case 'fines':
      return has('loans:all') || named('loans', values.loan_id)?.member_id === claims.member_id
    default:
      return true
  }
}

export interface CallerKind {
  readonly scopes: readonly string[]
  readonly claims: { readonly [name: string]: unknown }
}

const reading = [
  'branches:read',
  'members:read',
  'copies:read',
  'loans:read',
  'fines:read',
  'loan-totals:read',
  'fine-totals:read',
]
const writing = [...reading, 'members:write', 'copies:write', 'loans:write', 'fines:write']
export const callers: { readonly [name: string]: CallerKind } = {
  member: { scopes: writing, claims: { member_id: first('members')?.id } },
  librarian: {
    scopes: [...writing, 'loans:branch', 'members:all'],
    claims: { branch: first('branches')?.code },
  },
  'librarian who knows no members': {
    scopes: [...writing, 'loans:branch'],
    claims: { branch: first('branches')?.code },
  },
  'member with a branch': {
    scopes: [...reading, 'loans:branch', 'members:notes'],
    claims: { member_id: first('members')?.id, branch: first('branches')?.code },
  },
  'caller without claims': { scopes: writing, claims: {} },
  'caller with claims of other types': {
    scopes: writing,
    claims: { member_id: [first('members')?.id], branch: { code: first('branches')?.code } },
  },
}

export const hasNotes = ({ scopes }: CallerKind): boolean => scopes.includes('members:notes')
