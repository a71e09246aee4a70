import type { Kind } from './kind.ts'

/** Everything that a filter operator means: `filter[field][operator]=value`. */
export interface Operator {
  /** Whether fields of a kind can be filtered with it. */
  appliesTo(kind: Kind): boolean
  /** The value is a list, separated by commas. */
  readonly takesList: boolean
  /** The word `null` can stand for an unset value. */
  readonly takesNull: boolean
  /** It finds what does not equal the value. */
  readonly excludes: boolean
  /** It compares by order: an older version's texts are then compared as texts. */
  readonly compares: boolean
  /** The operator to use with the next lower stored value where the asked value lies between two; null where such values are refused. */
  readonly forFinerValues: OperatorName | null
  /** Completes "Rows whose `field` is …". */
  readonly words: string
  /** The condition on a column, given the parameters of the values that are not null. */
  sql(column: string, values: readonly string[], withNull: boolean): string
  /** The same condition on a value that is at hand: a number, a text, a truth value or null. */
  holds(value: unknown, asked: readonly unknown[]): boolean
}

const among = (column: string, values: readonly string[]): string =>
  values.length === 1 ? `${column} = ${values[0]}` : `${column} IN (${values.join(', ')})`

const equality: Pick<
  Operator,
  'appliesTo' | 'takesNull' | 'excludes' | 'compares' | 'forFinerValues' | 'sql' | 'holds'
> = {
  appliesTo: () => true,
  takesNull: true,
  excludes: false,
  compares: false,
  forFinerValues: null,
  sql: (column, values, withNull) => {
    if (!withNull) return among(column, values)
    return values.length === 0 ? `${column} IS NULL` : `(${among(column, values)} OR ${column} IS NULL)`
  },
  holds: (value, asked) => asked.includes(value),
}

const comparison = (
  sign: '>' | '>=' | '<' | '<=',
  meets: (value: number, asked: number) => boolean,
): Pick<Operator, 'appliesTo' | 'takesList' | 'takesNull' | 'excludes' | 'compares' | 'sql' | 'holds'> => ({
  appliesTo: (kind) => kind.isOrdered,
  takesList: false,
  takesNull: false,
  excludes: false,
  compares: true,
  sql: (column, [value]) => `${column} ${sign} ${value}`,
  holds: (value, [asked]) => value !== null && meets(Number(value), Number(asked)),
})

export type OperatorName = 'eq' | 'ne' | 'in' | 'gt' | 'gte' | 'lt' | 'lte'

/** Every operator, in the order in which documents list them. */
export const operators: { readonly [N in OperatorName]: Operator } = Object.freeze({
  eq: { ...equality, takesList: false, words: 'equal to this' },
  ne: {
    ...equality,
    takesList: false,
    excludes: true,
    words: 'not equal to this, or unset',
    sql: (column, values, withNull) => {
      if (values.length === 0) return withNull ? `${column} IS NOT NULL` : '1 = 1'
      const not = `NOT (${among(column, values)})`
      return withNull ? `(${column} IS NOT NULL AND ${not})` : `(${column} IS NULL OR ${not})`
    },
    holds: (value, asked) => !asked.includes(value),
  },
  in: {
    ...equality,
    takesList: true,
    words: 'equal to one of these (a comma within a value is written `\\,`)',
  },
  gt: {
    ...comparison('>', (value, asked) => value > asked),
    forFinerValues: 'gt',
    words: 'greater than this',
  },
  gte: {
    ...comparison('>=', (value, asked) => value >= asked),
    forFinerValues: 'gt',
    words: 'greater than this, or equal',
  },
  lt: { ...comparison('<', (value, asked) => value < asked), forFinerValues: 'lte', words: 'less than this' },
  lte: {
    ...comparison('<=', (value, asked) => value <= asked),
    forFinerValues: 'lte',
    words: 'less than this, or equal',
  },
})

const operatorNames = Object.keys(operators) as readonly OperatorName[]

export const isOperatorName = (name: string): name is OperatorName => Object.hasOwn(operators, name)

/** The operators that fields of a kind can be filtered with. */
export const operatorsFor = (kind: Kind): readonly OperatorName[] =>
  operatorNames.filter((name) => operators[name].appliesTo(kind))
