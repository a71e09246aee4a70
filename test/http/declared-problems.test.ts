import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { api } from '../../src/declare/api.ts'
import { renameField } from '../../src/declare/change.ts'
import type { HookContext } from '../../src/declare/hooks.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { problemKinds } from '../../src/problems.ts'
import { createJudge, type Document } from '../contract/openapi-judge.ts'
import { describeServing } from '../support/serving.ts'

const loans = resource('loans', {
  fields: { days: z.int(), note: z.string().max(20).optional() },
  problems: {
    'too-many-loans': {
      status: 422,
      title: 'Too many <books> at once',
      description: 'A reader has at most `three` books.',
      fix: 'Return one first.',
    },
    'out-of-hours': { status: 403, title: 'The library is closed' },
  },
  hooks: {
    beforeCreate({ days }, { reject }) {
      if (days > 30) reject({ code: 'too-many-loans', detail: `Not ${days}.`, field: 'days' })
      if (days === 30) reject({ code: 'out-of-hours', detail: 'Come back.' })
    },
    beforeUpdate({ days }, _, context: HookContext) {
      if (days > 30) context.reject({ code: 'too-many-laons', detail: 'A slip.' })
    },
  },
})
const books = resource('books', { fields: { title: z.string().max(20) } })
const declaration = api('library', {
  resources: [loans, books],
  versions: [version('v2'), version('v1', { changes: [renameField('loans', 'length', 'days')] })],
})
const model = compileApi(declaration)

/** Lines that the service logs. */
const logged: Error[] = []

describeServing(
  'a problem that a resource declares',
  (served) => {
    const post = (path: string, body: object) => served.call('POST', path, { body })
    const open = (path: string, accept: string) =>
      served.call('GET', path, { as: null, headers: { Accept: accept } })

    test('is what a hook refuses with: status and title from the declaration, the rest from the call', async () => {
      const answer = await post('/v2/loans', { days: 31 })
      expect(answer.problem).toEqual({
        type: '/problems/too-many-loans',
        title: 'Too many <books> at once',
        status: 422,
        detail: 'Not 31.',
        instance: answer.headers.get('x-request-id'),
        errors: [{ pointer: '#/days', detail: 'Not 31.', code: 'too-many-loans' }],
      })
      expect((await post('/v1/loans', { length: 31 })).faults).toEqual(['#/length'])
      const other = await post('/v2/loans', { days: 30 })
      expect([other.refusal, other.problem.errors]).toEqual([[403, 'out-of-hours'], undefined])
    })

    test('has a page with its declared description and fix, and is listed on /problems', async () => {
      const page = await open('/problems/too-many-loans', 'text/html')
      expect(page.status).toBe(200)
      expect(page.text).toContain('>Too many &lt;books&gt; at once</h1>')
      expect(page.text).toContain('A reader has at most <code>three</code> books.')
      expect(page.text).toContain('Return one first.')
      const told = (await open('/problems/out-of-hours', 'application/json')).data
      expect(told).toMatchObject({
        status: 403,
        title: 'The library is closed',
        type: '/problems/out-of-hours',
      })
      expect((await open('/problems', 'text/html')).text).toContain('href="/problems/out-of-hours"')
      const { rows } = await open('/problems', 'application/json')
      expect(rows).toHaveLength(Object.keys(problemKinds).length + 2)
    })

    test('is the only one beside the engine’s that has a page', async () => {
      for (const path of [
        'too-many-laons',
        'anything',
        'constructor',
        '__proto__',
        '',
        'too-many-loans/x',
        '%00',
      ])
        for (const accept of ['text/html', 'application/json'])
          expect((await open(`/problems/${path}`, accept)).refusal, path).toEqual([404, 'not-found'])
    })

    test('must be declared: another code is a 500, and the log says which hook it is and what to write', async () => {
      const { id } = await served.make('/v2/loans', { days: 1 })
      logged.length = 0
      const answer = await served.call('PATCH', `/v2/loans/${id}`, { body: { days: 31 } })
      expect(answer.refusal).toEqual([500, 'unexpected'])
      expect(answer.text).not.toContain('laons')
      expect(logged.map(({ message }) => message)).toEqual([
        `reject({ code: 'too-many-laons' }): loans does not declare this problem. Did you mean "too-many-loans"? ` +
          `Write problems: { 'too-many-laons': { status: 409, title: '…' } } into resource('loans', …). ` +
          `(hook beforeUpdate of loans)`,
      ])
      expect((await served.get(`/v2/loans/${id}`)).data.days).toBe(1)
    })

    test('is in the OpenAPI document, with the operations that run a hook', async () => {
      for (const name of ['v1', 'v2']) {
        const document = (await open(`/${name}/openapi.json`, 'application/json')).json as Document
        const judge = createJudge(document, name)
        const text = (id: string) => JSON.stringify(judge.operations.find((one) => one.id === id)?.told)
        expect(text('createLoan')).toContain(
          '"422":{"$ref":"#/components/responses/UnprocessableKeyTooManyLoans"}',
        )
        expect(text('createLoan')).toContain('"403":{"$ref":"#/components/responses/ForbiddenOutOfHours"}')
        expect(text('patchLoan')).toContain('TooManyLoans')
        for (const id of ['getLoan', 'listLoans', 'deleteLoan', 'createBook'])
          expect(text(id)).not.toContain('TooManyLoans')
        const { schemas } = document.components as { schemas: { [name: string]: object } }
        expect(JSON.stringify(schemas.TooManyLoansProblem)).toContain('/problems/too-many-loans')
        const field = name === 'v1' ? 'length' : 'days'
        for (const days of [30, 31]) {
          const sent = { [field]: days }
          const { status, headers, text: body } = await post(`/${name}/loans`, sent)
          const request = new Request(`http://localhost/${name}/loans`, { method: 'POST' })
          judge.hear(request, sent, new Response(body, { status, headers }), body)
        }
        expect([...judge.answered]).toEqual(['createLoan 403', 'createLoan 422'])
      }
    })
  },
  { declaration, warn: (_, error) => void logged.push(error as Error) },
)

test('a declared problem is in the contract of every version', () => {
  for (const one of model.versions) {
    const { paths } = contractOf(model, one)
    expect(paths['/loans']?.POST?.problems['403']).toEqual(['out-of-hours', 'scope-missing'])
    expect(paths['/loans/{id}']?.PUT?.problems['422']).toContain('too-many-loans')
    expect(paths['/loans/{id}']?.DELETE?.problems['422']).toBeUndefined()
    expect(paths['/books']?.POST?.problems['422']).not.toContain('too-many-loans')
  }
})
