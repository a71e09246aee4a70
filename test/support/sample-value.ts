import type { View } from '../../src/compile/model.ts'

/** A value of the field's type, as a query would write it. */
export function sampleOf(view: View, name: string): string {
  const field = view.filterOf.get(name)?.field ?? view.field.get(name)
  if (field?.schema.enum) return String(field.schema.enum[0])
  if (field?.kind === 'integer') return '1'
  if (field?.kind === 'decimal') return '1.5'
  if (field?.kind === 'boolean') return 'true'
  if (field?.kind === 'reference') return '01900000-0000-7000-8000-000000000000'
  return field?.kind === 'datetime' ? '2026-01-01T00:00:00.000Z' : 'x'
}
