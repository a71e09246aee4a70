import type { BatteryCall, Promises } from './gate-battery.ts'
import { type Answer, type PlacedCall, placeCall, type Row, send } from './gate-client.ts'
import type { GateServers } from './gate-servers.ts'

export interface Compared {
  /** How many calls the old server accepted; each was sent to the new server too. */
  readonly accepted: number
  readonly faults: readonly string[]
}

/**
 * How much of an answer must be the same: all rows, before any was made; a row that is named, after both servers took the
 * same writes; nothing but what the document says, once there are rows that only the new server has.
 */
type Sameness = 'rows' | 'row' | 'described'

/** Asks both servers every call of the battery that the old one accepts, in one order, so that their rows stay the same. */
export const compareServers = async (
  { model, old, now, keys, isCopied }: GateServers,
  promises: Promises,
  newer: Promises,
): Promise<Compared> => {
  const faults: string[] = []
  let accepted = 0
  let turn = 0
  const both = async (asked: BatteryCall, sameness: Sameness): Promise<Answer | null> => {
    const call = placeCall(model, asked, turn++)
    const before = await send(old, keys.old, call)
    if (before.status >= 500) faults.push(told(call, 'the old server failed', before, before))
    if (before.status >= 300) return null
    accepted++
    const after = await send(now, keys.now, call)
    const fault =
      answerFault(promises, call, before, after) || rowFault(fieldsOf(call), before, after, sameness)
    if (fault !== '') faults.push(told(call, fault, before, after))
    return before
  }
  const fieldsOf = ({ template }: BatteryCall): readonly string[] => {
    const view = model.head.views.get(/\}\/./.test(template) ? 'leaves' : (template.split('/')[1] ?? ''))
    return (view?.fields ?? []).map(({ name }) => name)
  }
  const readAll = async (sameness: Sameness): Promise<void> => {
    for (const call of promises.reads(sameness === 'rows' ? 8 : 4)) {
      const cursor = (await both(call, sameness))?.body?.page?.next_cursor
      if (!cursor || !isCopied) continue
      await both({ ...call, query: `${call.query}&cursor=${cursor}`.replace(/^&/, '') }, sameness)
    }
  }

  await readAll('rows')
  for (const method of ['POST', 'PATCH', 'PUT'] as const)
    for (const call of promises.writes(method)) await both(call, 'row')
  for (const call of [0, 1].flatMap(() => promises.writes('DELETE'))) await both(call, 'row')
  await readAll('row')
  // Other clients use the additions, and clients that do not know the additions read the rows they write.
  const theirs = await now.key('acme', { scopes: [...new Set(newer.scopes)], name: 'newer' })
  for (const method of ['POST', 'PATCH', 'PUT'] as const)
    for (const call of newer.writes(method)) await send(now, theirs, placeCall(model, call, turn++))
  await readAll('described')
  return { accepted, faults }
}

const told = (call: PlacedCall, fault: string, before: Answer, after: Answer): string =>
  [
    `${call.method} ${call.path}${call.query === '' ? '' : `?${call.query}`}`,
    `${JSON.stringify(call.headers)} ${JSON.stringify(call.body) ?? ''}`,
    fault,
    `was ${before.status} ${before.text.slice(0, 600)}`,
    `is  ${after.status} ${after.text.slice(0, 600)}`,
  ].join('\n')

const answerFault = (promises: Promises, call: BatteryCall, before: Answer, after: Answer): string => {
  if (after.status !== before.status) return `status ${before.status} became ${after.status}`
  // A longer page may have no next one, and no link to it.
  const lost = [...before.headers.keys()].filter((name) => name !== 'link' && !after.headers.has(name))
  if (lost.length > 0) return `headers lost: ${lost.join(', ')}`
  return promises.faults(call, after.status, after.headers.get('content-type') ?? '', after.body)
}

const rowFault = (fields: readonly string[], before: Answer, after: Answer, sameness: Sameness): string => {
  const [one, other] = [before.body?.data, after.body?.data]
  if (sameness === 'described' || !one || !other) return ''
  const isSame = (was: Row, is: Row | undefined) =>
    fields
      .filter((name) => name in was && !(name === 'id' && before.status === 201))
      .every((name) => JSON.stringify(was[name]) === JSON.stringify(is?.[name]))
  if (!Array.isArray(one)) return isSame(one as Row, other as Row) ? '' : 'the row differs'
  const [were, are] = [one as readonly Row[], other as readonly Row[]]
  if (sameness === 'row' || before.body?.page?.limit !== after.body?.page?.limit) return ''
  if (were.length !== are.length) return `${were.length} rows became ${are.length}`
  return were.every((row, at) => isSame(row, are[at])) ? '' : 'rows of the list differ'
}
