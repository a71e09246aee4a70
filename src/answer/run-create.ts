import type { Call, Outcome } from '../call/call.ts'
import { shownText } from '../call/row-text.ts'
import type { StoredRow } from '../call/stored-row.ts'
import type { JsonObject } from '../compile/schemas/canonical.ts'
import { judgedFields } from '../plan/judge-values.ts'
import type { Judgement } from '../plan/row-statements.ts'
import { readCreate } from '../request/body.ts'
import { missingReferences } from '../write/conflicts.ts'
import { locationOf } from '../write/create.ts'
import { notPermitted, ruleDecision } from '../write/judge.ts'
import type { NewJob } from '../write/new-job.ts'
import { passingRows } from '../write/passing-rows.ts'
import { outsideTransaction } from '../write/write-request.ts'
import type { Answering } from './answering.ts'
import { Questions } from './questions.ts'
import { bodyTag, demandOwner, sizeOf } from './read-answers.ts'

/** A create that was understood and allowed as far as that is known before the code runs. */
export interface PreparedCreate {
  readonly input: StoredRow
  /** The rule that the row must pass which the code gives; null where all is decided. */
  readonly open: Judgement | null
}

/** All that is checked before the code runs. */
export async function prepareCreate(
  answering: Answering,
  call: Call,
  body: JsonObject,
): Promise<PreparedCreate> {
  await demandOwner(answering, call)
  const { writer } = answering
  const { resource } = call.target.view
  const input = readCreate(call.target, body, call.caller.scopes)
  const attempt = { place: '', before: null, asked: input, written: null }
  const missing = await missingReferences(outsideTransaction(writer, call), [attempt])
  if (missing) throw missing
  const decision = ruleDecision(call, resource, 'create')
  if (decision === false) throw notMade(call)
  if (decision === true) return { input, open: null }
  const decides = judgedFields(resource, decision.rule).every(({ name }) => input[name] !== undefined)
  if (!decides) return { input, open: decision }
  await refuseUnlessPasses(answering, call, decision, input)
  return { input, open: null }
}

/** The answer of the code. Its jobs are not written yet. */
type AnsweredCreate = Outcome & { readonly rowId: string; readonly jobs: readonly NewJob[] }

/** Runs the code. */
export async function runCreate(
  answering: Answering,
  call: Call,
  { input, open }: PreparedCreate,
  idempotencyKey: string | null,
): Promise<AnsweredCreate> {
  const { view } = call.target
  // The code may change what it gets.
  const { row, jobs } = await new Questions(answering, call).create(
    view.resource,
    structuredClone(input),
    idempotencyKey,
  )
  if (open) await refuseUnlessPasses(answering, call, open, row)
  const body = `{"data":${shownText(view, row, call.caller.scopes)}}`
  const rowId = String(row.id)
  const location = view.reads.one ? { location: locationOf(call, rowId) } : {}
  return { status: 201, body, bytes: sizeOf(body, view), etag: bodyTag(body), ...location, rowId, jobs }
}

async function refuseUnlessPasses(
  { writer }: Answering,
  call: Call,
  judgement: Judgement,
  row: StoredRow,
): Promise<void> {
  const passing = await passingRows(writer, call.caller, call.target.view.resource, judgement, [row])
  if (passing.length === 0) throw notMade(call)
}

const notMade = (call: Call): Error => notPermitted(call, 'create this row')
