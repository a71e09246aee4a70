import type { Call } from '../call/call.ts'
import { grantsToWrite } from '../call/grants.ts'
import type { StoredRow } from '../call/stored-row.ts'
import { notThere } from '../call/target.ts'
import type { Resource } from '../compile/model.ts'
import { effective } from '../compile/rules/checked-rule.ts'
import type { RuleKind } from '../declare/rule.ts'
import type { Judgement } from '../plan/row-statements.ts'
import { decidedByScopes } from '../plan/rule-sql.ts'
import { problem } from '../problems.ts'
import { placeOf } from '../request/field-errors.ts'
import { passingRows } from './passing-rows.ts'
import { ofRow } from './within-row.ts'
import type { Attempt, WriteRequest } from './write-request.ts'

/** What a caller's scopes say of all rows; the rule where the row decides. */
export function ruleDecision(
  { caller }: Pick<Call, 'caller'>,
  resource: Resource,
  kind: RuleKind,
): boolean | Judgement {
  const rule = effective(resource.rules, kind)
  if (!rule) return true
  const grants = kind === 'read' ? caller.scopes : grantsToWrite(caller.scopes, resource)
  const node = decidedByScopes(rule.root, grants)
  return typeof node === 'boolean' ? node : { rule, grants }
}

/** Whether the caller may create any row, no row, or (null) some. */
export const createDecision = (call: Call): boolean | null => {
  const decision = ruleDecision(call, call.target.view.resource, 'create')
  return typeof decision === 'boolean' ? decision : null
}

/** Whether the rules of these kinds let the caller have a row of the resource that the request is about. */
async function judge(
  write: WriteRequest,
  id: string,
  kinds: readonly RuleKind[],
): Promise<readonly boolean[]> {
  const { writer, call, from } = write
  const { resource } = call.target.view
  const decisions = kinds.map((kind) => ruleDecision(call, resource, kind))
  const undecided = decisions.filter((decision) => typeof decision !== 'boolean')
  if (undecided.length === 0) return decisions.map((decision) => decision === true)
  const { text, bind } = writer.planner.judge(resource, undecided)
  const row = await from.first(text, bind({ ...whoAsks(write), id }))
  const answers = (row ?? []).map((answer) => Number(answer) === 1)
  return decisions.map((decision) => (typeof decision === 'boolean' ? decision : (answers.shift() ?? false)))
}

/** What statements bind of the caller. */
export const whoAsks = ({ writer, call: { caller } }: Pick<WriteRequest, 'writer' | 'call'>) => ({
  account: caller.account,
  asked: { by: caller, at: writer.now() },
})

/** Which rows of a resource, by their ids, exist, and the rule of a kind lets the caller have. Rows that code answers for are not looked up. */
export async function permitted(
  write: WriteRequest,
  resource: Resource,
  kind: RuleKind,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (resource.answered || ids.length === 0) return new Set(ids)
  const decision = ruleDecision(write.call, resource, kind)
  if (decision === false) return new Set()
  const isOne = ids.length === 1
  const judgement = decision === true ? null : decision
  const { text, bind } = write.writer.planner.passing(resource, judgement, isOne ? 'one' : 'many')
  const values = isOne ? ids : [JSON.stringify(ids)]
  const found = await write.from.all(text, bind({ ...whoAsks(write), values }))
  return new Set(found.map(([id]) => String(id)))
}

/** Whether a row exists for the caller. */
export const mayRead = async (write: WriteRequest, resource: Resource, id: string | null): Promise<boolean> =>
  id !== null && (await permitted(write, resource, 'read', [id])).has(id)

/** Before a row is changed or deleted: 404 where it, or the owner in the path, may not be read; 403 where the rule says no. */
export async function refuseUnlessMay(write: WriteRequest, kind: 'update' | 'delete'): Promise<void> {
  const { target } = write.call
  const owner = target.sub?.owner().resource
  if (owner?.rules.read && !(await mayRead(write, owner, target.ownerId))) throw notThere(target)
  const [reads, writes] = await judge(write, target.id ?? '', ['read', kind])
  if (!reads) throw notThere(target)
  if (!writes) throw notPermitted(write.call, kind === 'update' ? 'change this row' : 'delete this row')
}

/** After a row was made or changed: the caller must be allowed to make such a row. */
export async function refuseUnlessMade(
  write: WriteRequest,
  id: string,
  verb: 'create' | 'update',
): Promise<void> {
  const [makes] = await judge(write, id, ['create'])
  if (!makes) throw notMade(write.call, verb)
}

/** After the rows of a list were made. The refusal is about the first row that the caller is not allowed to make. */
export async function refuseUnlessAllMade(write: WriteRequest, rows: readonly StoredRow[]): Promise<void> {
  const ids = rows.map(({ id }) => String(id))
  const made = await permitted(write, write.call.target.view.resource, 'create', ids)
  const refused = ids.findIndex((id) => !made.has(id))
  if (refused >= 0) throw ofRow(placeOf(refused), notMade(write.call, 'create'))
}

/**
 * After the store refused rows because of others: who may not make such rows is told that, as for any other value. Otherwise
 * the refusal would tell of rows that the caller may not read.
 */
export async function refuseUnlessMayMake(
  { writer, call }: WriteRequest,
  attempts: readonly Attempt[],
  verb: 'create' | 'update',
): Promise<void> {
  const { resource } = call.target.view
  const decision = ruleDecision(call, resource, 'create')
  if (decision === true) return
  const written = attempts.flatMap(({ place, written }) => (written ? [{ place, row: written }] : []))
  const rows = written.map(({ row }) => row)
  const passing = decision === false ? [] : await passingRows(writer, call.caller, resource, decision, rows)
  const refused = written.find((_, index) => !passing.includes(index))
  if (refused) throw ofRow(refused.place, notMade(call, verb))
}

const notMade = (call: Call, verb: 'create' | 'update'): Error =>
  notPermitted(call, verb === 'create' ? 'create this row' : 'change this row to that')

export const notPermitted = ({ target }: Call, what: string): Error =>
  problem('not-permitted', { detail: `The rules of ${target.view.name} do not let you ${what}.` })
