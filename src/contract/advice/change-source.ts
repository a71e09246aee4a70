import { changeKinds, kindOf } from '../../compile/change-kinds/change-kinds.ts'
import { builderOf } from '../../compile/changes/report.ts'
import type { Change } from '../../declare/change.ts'
import { inSource, keyed } from './zod-source.ts'

/** The members of a change as source code, `…` where only a person knows the value. */
type Members = { readonly [member: string]: string }

/** The call that declares a change, as source code: `removeField('books', 'isbn', { was: z.string() })`. */
export const callSource = (kind: Change['kind'], members: Members): string => {
  const parameters: readonly string[] = changeKinds[kind].parameters
  const options = Object.entries(members).filter(([name]) => !parameters.includes(name))
  const written = parameters.map((name) => members[name] ?? '…')
  if (options.length > 0)
    written.push(`{ ${options.map(([name, source]) => `${name}: ${source}`).join(', ')} }`)
  return `${builderOf({ kind })}(${written.join(', ')})`
}

/** The source code of a change that has no options. */
export const sourceOf = (change: Change): string => {
  const members = Object.entries(change).filter(([name]) =>
    kindOf(change).parameters.some((parameter) => parameter === name),
  )
  return callSource(
    change.kind,
    Object.fromEntries(members.map(([name, value]) => [name, valueSource(value)])),
  )
}

const valueSource = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? `{ ${Object.entries(value)
        .map(([key, one]) => `${keyed(key)}: ${inSource(one)}`)
        .join(', ')} }`
    : inSource(value)
