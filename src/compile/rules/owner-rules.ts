import type { CallerValue, Resource, RuleNode, Rules } from '../model.ts'
import { noRules } from './checked-rule.ts'

const subject: CallerValue = Object.freeze({
  kind: 'caller-value',
  source: 'subject',
  name: '',
  as: 'string',
  isList: false,
})
const program: CallerValue = Object.freeze({ ...subject, source: 'program', as: 'boolean' })

/**
 * The rule of a resource whose rows have owners: a caller with a subject reads the rows of that subject, and one without reads all of the
 * account. Declared rules cannot say the second half: there, what is absent in a caller opens nothing.
 */
export function ownerRules(resource: Resource, ownedBy: string): Rules {
  const field = resource.field.get(ownedBy)
  if (!field) throw new Error(`${resource.name} has no field ${ownedBy}`)
  const root: RuleNode = Object.freeze({
    kind: 'any-of',
    of: Object.freeze([
      compared(program, { kind: 'constant', value: true, as: 'boolean' }),
      compared({ kind: 'field', path: [], field }, subject),
    ]),
  })
  const condition = Object.freeze({ kind: 'own' as const })
  const read = Object.freeze({
    kind: 'read' as const,
    condition,
    root,
    scopes: [],
    callerValues: [program, subject],
  })
  return Object.freeze({ ...noRules, read })
}

type Compare = Extract<RuleNode, { kind: 'compare' }>

const compared = (left: Compare['left'], right: Compare['right']): RuleNode =>
  Object.freeze({ kind: 'compare', operator: 'is', left, right })
