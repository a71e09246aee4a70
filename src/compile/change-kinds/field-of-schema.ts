import type { DraftField } from '../changes/view-draft.ts'
import type { ZodField } from '../zod/read.ts'

/** A field of an older version as the schema in a change describes it. The caller adds where its value comes from. */
export const fieldOfSchema = (name: string, { marks, ...read }: ZodField): DraftField => ({
  name,
  field: null,
  made: null,
  schema: read.schema,
  kind: read.kind,
  required: !read.optional && read.default === undefined && marks.readOnly !== true,
  nullable: read.nullable,
  default: read.default,
  readOnly: marks.readOnly ?? false,
  writeOnly: marks.writeOnly ?? false,
  immutable: marks.immutable ?? false,
  open: marks.open ?? false,
  needsScopes: marks.needsScopes ?? [],
  publishedScopes: null,
  values: null,
  codec: null,
  states: null,
  description: read.description,
})
