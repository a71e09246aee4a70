import { expect, test } from 'vitest'
import { z } from 'zod'
import { api, resource } from '../../src/index.ts'
import { serve } from '../support/serving.ts'
import { describeStores } from '../support/stores.ts'

const scopes = { staff: 'Work here.' }
const fields = { clinic: z.string(), name: z.string() }

interface Document {
  readonly paths: { readonly [path: string]: { readonly [method: string]: { readonly description: string } } }
}

describeStores('a rule says what it reads like', ({ kind, url }) => {
  test('a server whose rule JavaScript cuts in half does not start', async () => {
    const patients = resource('patients', {
      fields,
      rules: {
        read: ({ row, caller }) => caller.has('staff') && row.clinic.is(caller.claim('clinic')),
        delete: ({ row, caller }) => caller.has('staff') || row.clinic.is(caller.claim('clinic')),
      },
    })
    const declaration = api('clinics', { resources: [patients], scopes })
    await expect(serve(kind, await url(), { declaration })).rejects.toThrow(
      /^patients\.rules\.read: .* Write allOf\(…, …\)\..*\npatients\.rules\.delete: .* Write anyOf\(…, …\)\./,
    )
  })

  test('rules that return true and false open every row, and none', async () => {
    const patients = resource('patients', {
      fields,
      rules: {
        read: ({ row, caller }) => row.clinic.is(caller.claim('clinic')),
        create: () => true,
        delete: () => false,
      },
    })
    const notes = resource('notes', { fields, rules: { read: () => false, create: () => true } })
    const declaration = api('clinics', { resources: [patients, notes], scopes })
    const served = await serve(kind, await url(), { declaration })
    const as = await served.api.key('acme', {
      scopes: ['patients:read', 'patients:write', 'notes:read', 'notes:write'],
      claims: { clinic: 'north' },
    })
    // Without a rule of its own, a create is judged by the rule of reading.
    await served.make('/v1/patients', { clinic: 'south', name: 'Ada' }, { as })
    const { id } = await served.make('/v1/patients', { clinic: 'north', name: 'Bea' }, { as })
    expect((await served.get('/v1/patients', { as })).rows).toMatchObject([{ name: 'Bea' }])
    const refused = await served.call('DELETE', `/v1/patients/${id}`, { as })
    expect(refused.refusal).toEqual([403, 'not-permitted'])
    const renamed = await served.call('PATCH', `/v1/patients/${id}`, { as, body: { name: 'Cleo' } })
    expect(renamed.status).toBe(200)

    const note = await served.make('/v1/notes', { clinic: 'north', name: 'Dora' }, { as })
    expect((await served.get('/v1/notes', { as })).rows).toEqual([])
    expect((await served.call('GET', `/v1/notes/${note.id}`, { as })).status).toBe(404)

    const document = (await served.get('/v1/openapi.json')).json as Document
    const said = (path: string, method: string) => document.paths[path]?.[method]?.description
    expect(said('/patients', 'post')).not.toContain('Refused (403)')
    expect(said('/patients/{id}', 'delete')).toContain('Refused (403) for every row.')
    expect(said('/notes', 'get')).toContain('Shows no rows.')
  })
})
