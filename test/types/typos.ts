/** A mistake that a new user makes in the declaration of test/types/clinic. */
export interface Typo {
  readonly file: string
  /** Stands once in the file. */
  readonly right: string
  readonly wrong: string
  /** Where TypeScript reports it: on its line, or in `api.ts`, which knows all resources. */
  readonly reported: 'here' | 'in api.ts' | 'not'
  /** What stands on the line where TypeScript reports it, where that is not the line of the typo. */
  readonly line?: string
  /** What the message of TypeScript has. */
  readonly says?: string
  /** It stands in the code of a hook, which `nounkit check` does not run: its type check finds it. */
  readonly inCode?: true
}

const here = (file: string, right: string, wrong: string, says?: string): Typo => ({
  file,
  right,
  wrong,
  reported: 'here',
  ...(says === undefined ? {} : { says }),
})
const inApi = (file: string, right: string, wrong: string, says: string): Typo => ({
  file,
  right,
  wrong,
  reported: 'in api.ts',
  says,
})
const inHook = (right: string, wrong: string, says?: string): Typo => ({
  ...here('visits.ts', right, wrong, says),
  inCode: true,
})

export const typos: { readonly [what: string]: Typo } = {
  'a field in filter': here('owners.ts', "filter: ['email'", "filter: ['emial'", '"email"'),
  'a relation in filter, instead of its reference': here(
    'invoices.ts',
    "['paid', 'owner_id']",
    "['paid', 'owner']",
    '"owner_id"',
  ),
  'a field in sort': here('pets.ts', "'born_on']", "'bron_on']", '"born_on"'),
  'a field in unique': here('owners.ts', "unique: ['email']", "unique: ['mail']", '"email"'),
  'a field in a set of unique fields': here(
    'pets.ts',
    "[['owner_id', 'name']]",
    "[['owner', 'name']]",
    '"owner_id"',
  ),
  'the owner of a sub-resource': here('visits.ts', "owner: 'visit'", "owner: 'visits'", '"visit"'),
  'an include': here('owners.ts', "'pets.visits', 'invoices']", "'pets.visits', 'invoice']", '"invoices"'),
  'the second step of an include, of a resource': here(
    'pets.ts',
    "'owner.invoices'",
    "'owner.invoice'",
    '"owner.invoices"',
  ),
  'the second step of an include, of a name': inApi('owners.ts', "'pets.visits'", "'pets.visit'", '"visits"'),
  'the second step of an include, of a resource that refers back': inApi(
    'visits.ts',
    "'treatments.medicine'",
    "'treatments.medicin'",
    '"medicine"',
  ),
  'the second step of an include, to one': inApi('visits.ts', "'visit.pet'", "'visit.pets'", '"pet"'),
  'the target of a belongs-to': inApi('visits.ts', "belongsTo('visits'", "belongsTo('visit'", '"visits"'),
  'the target of a has-many': inApi(
    'visits.ts',
    "hasMany('treatments')",
    "hasMany('treatment')",
    '"treatments"',
  ),
  'a relation in onlyWhile': here('visits.ts', 'onlyWhile: { visit:', 'onlyWhile: { visits:', 'visit'),
  'a field in onlyWhile, of a name': inApi(
    'visits.ts',
    '{ visit: { status:',
    '{ visit: { state:',
    '"status"',
  ),
  'a value in onlyWhile, of a name': inApi(
    'visits.ts',
    "['planned', 'open'] }",
    "['planned', 'opened'] }",
    '"open"',
  ),
  'a field in onlyWhile, of a resource': here(
    'invoices.ts',
    '{ invoice: { status:',
    '{ invoice: { stat:',
    'status',
  ),
  'a value in onlyWhile, of a resource': here(
    'invoices.ts',
    "{ status: ['draft'] }",
    "{ status: ['drafts'] }",
    '"draft"',
  ),
  'a field in deleteOnlyWhile': here(
    'visits.ts',
    'deleteOnlyWhile: { status:',
    'deleteOnlyWhile: { staus:',
    'status',
  ),
  'a value in deleteOnlyWhile': here(
    'visits.ts',
    "['planned', 'cancelled'] }",
    "['planned', 'canceled'] }",
    '"cancelled"',
  ),
  'the relation of a sum': here('visits.ts', "sum('treatments'", "sum('treatment'", '"treatments"'),
  'a field of a sum': inApi('visits.ts', "['quantity', 'price']", "['quantity', 'prize']", '"price"'),
  'a sum over texts': inApi('visits.ts', "['quantity', 'price']", "['quantity', 'note']", '"price"'),
  'the first state': here('visits.ts', "states('planned'", "states('planed'", '"planned"'),
  'a state that no move leads to': {
    ...here('visits.ts', "open: ['closed']", "opened: ['closed']"),
    reported: 'not',
  },
  'the name of an option': here('medicines.ts', 'filter:', 'filters:', 'filter'),
  'the name of a limit': here('pets.ts', 'pageMax', 'maxPage', 'maxPage'),
  'the name of an option of a relation': here('visits.ts', 'immutable: true', 'imutable: true', 'immutable'),
  'the value of an option': here(
    'visits.ts',
    "idempotencyKey: 'required'",
    "idempotencyKey: 'require'",
    '"required"',
  ),
  'who may read, misspelt': {
    ...here('medicines.ts', "read: 'authenticated'", "read: 'authentcated'"),
    reported: 'not',
  },
  'the resource of totals': inApi('invoices.ts', "of: 'invoices'", "of: 'invoice'", '"invoices"'),
  'a field that totals are grouped by': inApi(
    'invoices.ts',
    "by: ['status', 'owner_id']",
    "by: ['status', 'owner']",
    '"owner_id"',
  ),
  'a field that totals add up': inApi('invoices.ts', "sums: ['amount']", "sums: ['amuont']", '"amount"'),
  'totals of something that is no number': inApi(
    'invoices.ts',
    "sums: ['amount']",
    "sums: ['paid']",
    '"amount"',
  ),
  'an option of totals': here('invoices.ts', "sums: ['amount']", "summs: ['amount']", 'summs'),
  'the scope of a field': inApi(
    'visits.ts',
    "needsScope('visits:medical'",
    "needsScope('visits:medcal'",
    'visits:medcal',
  ),
  'the resource of a change': inApi('v1.ts', "renameField('owners'", "renameField('owner'", '"owners"'),
  'the field of a change': inApi('v1.ts', "'full_name', 'name'", "'full_name', 'nmae'", '"name"'),
  'the value of a change': inApi('v1.ts', "done: 'closed'", "done: 'close'", '"closed"'),
  'the unversioned version': { ...here('api.ts', "unversioned: 'v2'", "unversioned: 'v3'"), reported: 'not' },
  'the name of a hook': here('visits.ts', 'beforeCreate(', 'beforeInsert(', 'beforeInsert'),
  'a resource that a hook finds': inHook(
    "find('pets', visit.pet_id, {",
    "find('pet', visit.pet_id, {",
    '"pets"',
  ),
  'a field that a hook lists by': inHook("status: 'planned' })", "state: 'planned' })", 'state'),
  'a field of a row that a hook found': inHook('pet?.name', 'pet?.nmae', 'name'),
  'a field that a hook returns': {
    ...inHook('return { number:', 'return { numbr:', 'HookSetsNoField<"numbr", "created_at" | "diagnosis"'),
    line: "resource('visits'",
  },
}

/** More that stands in the code of hooks. */
export const typosInCode: { readonly [what: string]: Typo } = {
  'a field that a hook returns beside others': {
    ...inHook('return { number:', "return { on: '2026-01-01', numbr:", 'HookSetsNoField<"numbr"'),
    line: "resource('visits'",
  },
  'a state that a hook lists by': inHook("status: 'planned' })", "status: 'plan' })", '"planned"'),
  'an operator of a condition': inHook('amount: { gt: 0 }', 'amount: { gtt: 0 }', 'gt'),
  'a value of a condition': inHook('amount: { gt: 0 }', "amount: { gt: '0' }", 'number'),
  'a field that a hook counts by': inHook("{ status: 'open' }", "{ state: 'open' }", 'state'),
  'a field that a hook orders by': inHook("orderBy: '-amount'", "orderBy: '-amout'", '"-amount"'),
  'an option of find': inHook('lock: true', 'locked: true', 'lock'),
  'the code of a refusal': inHook("code: 'too-many-visits'", "code: 'too-many'", '"too-many-visits"'),
  'the field of a refusal': inHook("field: 'pet_id'", "field: 'pet'", '"pet_id"'),
  'a field of a row two relations away': inHook('pet?.owner_id', 'pet?.owner', 'owner'),
  'a field that a hook sums': inHook("sum(invoices, 'amount'", "sum(invoices, 'amout'", '"amount"'),
  'a sum over something else': inHook("sum(invoices, 'amount'", "sum(invoices, 'status'", '"amount"'),
  'a field that a hook sums by': inHook('paid: false', 'payed: false', 'paid'),
  'a field of a row that a hook creates': inHook('amount: visit.total', 'amont: visit.total', 'amont'),
  'a field of a row that a hook updates': inHook('{ in_use: true }', '{ inuse: true }', 'in_use'),
  'a value of a row that a hook updates': inHook('{ in_use: true }', "{ in_use: 'yes' }", 'boolean'),
}
