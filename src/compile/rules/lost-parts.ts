import type { ConditionData, RulePart } from '../../declare/condition.ts'

/** A condition and all that it is made of. A rule may have made conditions of anything; what is no object has no parts. */
function partsOf(part: RulePart): readonly RulePart[] {
  return typeof part === 'object' && part !== null ? [part, ...innerOf(part).flatMap(partsOf)] : []
}

function innerOf(part: RulePart): readonly RulePart[] {
  switch (part.kind) {
    case 'all-of':
    case 'any-of':
      return part.of
    case 'not':
      return [part.of]
    case 'compare':
      return [part.left, part.right]
    case 'in':
      return [part.operand, ...part.among]
    case 'is-null':
    case 'is-not-null':
      return [part.operand]
    case 'includes':
      return [part.list, part.element]
    default:
      return []
  }
}

/**
 * What a rule made and did not return, as source: JavaScript dropped it, or a statement forgot it. Without what is within another lost
 * part. `result` is null where the rule returned `true` or `false`.
 */
export function lostParts(made: ReadonlySet<RulePart>, result: ConditionData | null): readonly string[] {
  const known = new Set(result ? partsOf(result) : [])
  const lost: RulePart[] = []
  // A part is made after the parts within it.
  for (const part of [...made].reverse()) {
    if (known.has(part)) continue
    lost.unshift(part)
    for (const inner of partsOf(part)) known.add(inner)
  }
  return lost.map(partSource)
}

/** The fields that a rule returned and did not read: they are of the row of another rule. */
export const foreignFields = (made: ReadonlySet<RulePart>, result: ConditionData): readonly string[] =>
  partsOf(result)
    .filter((part) => part.kind === 'field' && !made.has(part))
    .map(partSource)

const methods: { readonly [kind: string]: string } = {
  'all-of': 'allOf',
  'any-of': 'anyOf',
  'is-not': 'isNot',
  'is-null': 'isNull',
  'is-not-null': 'isNotNull',
}

/** The part as source, as the rule would write it. */
export function partSource(part: RulePart): string {
  if (typeof part !== 'object' || part === null) return String(part)
  const [first, ...others] = innerOf(part).map(partSource)
  switch (part.kind) {
    case 'field':
      return ['row', ...part.path, part.field].join('.')
    case 'claim':
      return `caller.claim(${JSON.stringify(part.name)})`
    case 'has':
      return `caller.has(${JSON.stringify(part.scope)})`
    case 'constant':
      return JSON.stringify(part.value) ?? String(part.value)
    case 'now':
      return 'now()'
    case 'subject':
    case 'consumer':
      return `caller.${part.kind}`
    case 'compare':
      return `${first}.${methods[part.operator] ?? part.operator}(${others})`
    case 'in':
      return `${first}.in([${others.join(', ')}])`
    case 'all-of':
    case 'any-of':
    case 'not':
      return `${methods[part.kind] ?? part.kind}(${innerOf(part).map(partSource).join(', ')})`
    default:
      return `${first}.${methods[part.kind] ?? part.kind}(${others})`
  }
}
