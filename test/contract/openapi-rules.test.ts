import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { openapiOf } from '../../src/contract/openapi/openapi.ts'
import { anyOf, api, belongsTo, needsScope, resource } from '../../src/index.ts'

const scopes = { 'loans:all': 'See every loan.', 'loans:notes': 'See and write notes.' }

interface Operation {
  readonly description: string
  readonly responses: { readonly [status: string]: unknown }
}
const pathOf = (document: object, path: string) =>
  (document as { paths: { [path: string]: { [M in 'get' | 'post' | 'put' | 'delete']: Operation } } }).paths[
    path
  ] as { [M in 'get' | 'post' | 'put' | 'delete']: Operation }

describe('the OpenAPI document', () => {
  const fields = { member: z.string(), note: needsScope('loans:notes', z.string()) }
  const declaration = api('library', {
    resources: [
      resource('loans', {
        fields,
        rules: {
          read: ({ row, caller }) => anyOf(caller.has('loans:all'), row.member.is(caller.claim('member'))),
          create: ({ row, caller }) => row.member.is(caller.claim('member')),
          update: ({ row, caller }) => anyOf(row.member.is(caller.claim('member')), caller.has('loans:all')),
        },
        filter: ['note'],
        sort: ['note'],
        scopes: { read: 'authenticated' },
      }),
      resource('fines', {
        fields: { amount: z.int() },
        relations: { loan: belongsTo('loans'), desk: belongsTo('desks') },
        include: ['loan', 'desk'],
      }),
      resource('desks', { fields: { place: z.string() } }),
    ],
    scopes,
  })
  const model = compileApi(declaration)
  const document = openapiOf(model.head, model) as {
    readonly info: { readonly description: string }
    readonly components: { readonly [kind: string]: { readonly [name: string]: Schema } }
  }
  type Schema = { readonly [key: string]: never }

  test('says of each operation what its rule is', () => {
    const all = '`member` is the claim `member` or the caller has the scope `loans:all`'
    const [list, one] = [pathOf(document, '/loans'), pathOf(document, '/loans/{id}')]
    expect(list.get.description).toContain(`Shows only rows where ${all}.`)
    expect(list.post.description).toContain(
      'Refused (403) unless in the row as it would be stored `member` is the claim `member`.',
    )
    expect(one.put.description).toContain(`Refused (403) for rows unless ${all}.`)
    expect(one.delete.description).toContain(`Refused (403) for rows unless ${all}.`)
  })

  test('says that an included row may be null which a rule can hide', () => {
    const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })
    expect(document.components.schemas?.FineWithRelations).toMatchObject({
      properties: { loan: { anyOf: [refTo('Loan'), { type: 'null' }] }, desk: refTo('Desk') },
    })
  })

  test('tells refusals by a rule from those by a scope', () => {
    const refused = (path: string) => JSON.stringify(pathOf(document, path).post.responses['403'])
    expect(refused('/loans')).toContain('#/components/responses/ForbiddenRule')
    expect(refused('/fines')).toContain('#/components/responses/Forbidden"')
    expect(JSON.stringify(document.components.responses?.ForbiddenRule)).toContain('not-permitted')
    expect(JSON.stringify(document.components.responses?.Forbidden)).not.toContain('not-permitted')
  })

  test('says which fields and parameters need a scope, and does not promise the field', () => {
    const { schemas, parameters } = document.components
    const { properties = {}, required = [] } = (schemas?.Loan ?? {}) as {
      properties?: { [name: string]: Schema }
      required?: string[]
    }
    expect(properties.note).toMatchObject({
      'x-required-scopes': ['loans:notes'],
      description: 'There only for callers with the scope `loans:notes`.',
    })
    expect(required).not.toContain('note')
    expect(schemas?.LoanCreate?.required).toContain('note')
    expect(schemas?.LoanReplace?.required).not.toContain('note')
    expect(parameters?.['loans.filter.note']).toMatchObject({ 'x-required-scopes': ['loans:notes'] })
    expect(String(parameters?.['loans.sort']?.description)).toContain('`note` needs the scope `loans:notes`.')
    expect(pathOf(document, '/loans').get.responses).toHaveProperty('403')
    expect(pathOf(document, '/loans/{id}').get.responses).not.toHaveProperty('403')
  })

  test('lists the declared scopes', () => {
    expect(document.info.description).toContain('| `loans:all` | See every loan. |')
    expect(document.components.securitySchemes?.key?.['x-scopes']).toEqual(scopes)
  })
})
