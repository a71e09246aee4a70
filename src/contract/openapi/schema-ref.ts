import type { Part } from './fields.ts'

export const schemaRef = (name: string): Part => ({ $ref: `#/components/schemas/${name}` })
