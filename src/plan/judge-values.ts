import type { Field, Resource, Rule, RuleOperand } from '../compile/model.ts'
import { operandsOf } from '../compile/rules/checked-rule.ts'
import { shownColumn } from './absent-values.ts'
import { type Dialect, ident } from './dialect.ts'
import { from, type Judgement, knownField, type RowStatement, rowStatement } from './row-statements.ts'
import { ruleSql } from './rule-sql.ts'
import { Binds } from './statement.ts'
import { comparableSql } from './stored-values.ts'

/** The column with the index of each bound row. No field has this name. */
const indexColumn = '#'

/**
 * Judges rows that are not stored, or not any more, such as those of events. Bound: a JSON array of arrays with their index and the
 * fields that `judgedFields` names. Answers with the indexes of the rows that pass. Related rows are those that are stored now.
 */
export function judgeValues(resource: Resource, { rule, grants }: Judgement, dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  const alias = binds.alias()
  const columns = [
    { name: indexColumn, kind: 'integer' as const },
    ...judgedFields(resource, rule).map(({ column, kind }) => ({ name: column, kind })),
  ]
  const rows = dialect.rowsIn(binds.use(0, 'string'), columns)
  const condition = ruleSql(rule, grants, alias, binds) ?? '1 = 1'
  return rowStatement(
    `SELECT ${alias}"${indexColumn}" FROM (${rows}) ${alias.slice(0, -1)} WHERE ${condition}`,
    binds,
  )
}

/**
 * Which values of a unique set stored rows have. Bound: a JSON array of arrays with an index and the values. Answers with the indexes.
 */
export function takenValues(resource: Resource, set: readonly string[], dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  const [given, alias] = [binds.alias(), binds.alias()]
  const fields = set.map((name) => knownField(resource, name))
  const columns = [
    { name: indexColumn, kind: 'integer' as const },
    ...fields.map(({ column, kind }) => ({ name: column, kind })),
  ]
  const same = fields.map(
    (field) => `${comparableSql(field, shownColumn(field, alias, binds))} = ${given}${ident(field.column)}`,
  )
  const values = `(${dialect.rowsIn(binds.use(0, 'string'), columns)}) ${given.slice(0, -1)}`
  const stored = `SELECT 1 FROM ${from(resource, alias)} WHERE ${binds.rows(resource, alias)}${same.join(' AND ')} LIMIT 1`
  // As a value, and not as EXISTS, it is looked up for each: PostgreSQL would join, and read all of a large account among small ones.
  const text = `SELECT ${given}"${indexColumn}" FROM ${values} WHERE (${stored}) = 1`
  return rowStatement(text, binds)
}

/** The fields of the row itself that a rule reads, with the references that its paths begin with. */
export const judgedFields = ({ fields }: Resource, { root }: Rule): readonly Field[] => {
  const names = new Set(operandsOf(root).flatMap(ownName))
  return fields.filter(({ name }) => names.has(name))
}

const ownName = (operand: RuleOperand): readonly string[] =>
  operand.kind === 'field' ? [operand.path[0]?.field ?? operand.field.name] : []
