import type { Field, Resource, Rule, RuleOperand } from '../compile/model.ts'
import { operandsOf } from '../compile/rules/checked-rule.ts'
import type { Dialect } from './dialect.ts'
import { type Judgement, type RowStatement, rowStatement } from './row-statements.ts'
import { ruleSql } from './rule-sql.ts'
import { Binds } from './statement.ts'

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
  const rows = dialect.rowsIn(binds.use(0, 'json'), columns)
  const condition = ruleSql(rule, grants, alias, binds) ?? '1 = 1'
  return rowStatement(
    `SELECT ${alias}"${indexColumn}" FROM (${rows}) ${alias.slice(0, -1)} WHERE ${condition}`,
    binds,
  )
}

/** The fields of the row itself that a rule reads, with the references that its paths begin with. */
export const judgedFields = ({ fields }: Resource, { root }: Rule): readonly Field[] => {
  const names = new Set(operandsOf(root).flatMap(ownName))
  return fields.filter(({ name }) => names.has(name))
}

const ownName = (operand: RuleOperand): readonly string[] =>
  operand.kind === 'field' ? [operand.path[0]?.field ?? operand.field.name] : []
