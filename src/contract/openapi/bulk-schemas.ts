import type { View } from '../../compile/model.ts'
import { type DocumentPart, schemaRef } from './field-schemas.ts'

/** The body of a create where a list is taken: one row or many. */
export const orListName = (sent: string): string => `${sent}OrList`

/** The answer to it. */
export const orRowsName = (row: string): string => `${row}EnvelopeOrRows`

/** `sent` is the schema of one row that is sent. */
export const sentListSchemas = (sent: string, { limits }: View): { [name: string]: DocumentPart } => ({
  [`${sent}List`]: listOf(sent, { minItems: 1, maxItems: limits.bulkRows }),
  [orListName(sent)]: oneOf(sent, `${sent}List`),
})

/** `row` is the schema of one row that is shown. */
export const shownListSchemas = (row: string): { [name: string]: DocumentPart } => ({
  [`${row}Rows`]: listOf(row, {}),
  [orRowsName(row)]: oneOf(`${row}Envelope`, `${row}Rows`),
})

const listOf = (name: string, bounds: DocumentPart): DocumentPart => ({
  type: 'object',
  properties: { data: { type: 'array', items: schemaRef(name), ...bounds } },
  required: ['data'],
  additionalProperties: false,
})

const oneOf = (...names: readonly string[]): DocumentPart => ({ oneOf: names.map(schemaRef) })
