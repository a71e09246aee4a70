import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Contract } from '../../src/compile/contract-format.ts'

/** Validates a row as a version shows it against that version's contract, with an independent JSON Schema validator. */
export const faultsIn = (contract: Contract): ((resource: string, row: unknown) => readonly string[]) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  const compiled = new Map(
    Object.entries(contract.resources).map(([name, { fields }]) => {
      const shown = Object.entries(fields).flatMap(([field, { response }]) =>
        response ? [[field, response] as const] : [],
      )
      const properties = shown.map(([field, { schema, nullable, open }]) => {
        const { enum: _, ...free } = schema
        const value = open ? free : schema
        return [field, nullable ? { anyOf: [value, { type: 'null' }] } : value]
      })
      const schema = {
        type: 'object',
        properties: Object.fromEntries(properties),
        required: shown.map(([field]) => field),
        additionalProperties: false,
      }
      return [name, ajv.compile(schema)]
    }),
  )
  return (resource, row) => {
    const validate = compiled.get(resource)
    if (!validate) return [`there is no ${resource}`]
    return validate(row) ? [] : (validate.errors ?? []).map((one) => `${one.instancePath} ${one.message}`)
  }
}
