import type { Part } from './field-schemas.ts'

export const schemaRef = (name: string): Part => ({ $ref: `#/components/schemas/${name}` })
