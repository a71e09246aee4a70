import { beforeAll, describe, expect, test } from 'vitest'
import { lending, lendingScopes } from '../support/lending.ts'
import { seen } from '../support/seen-answer.ts'
import { describeServing, type Row } from '../support/serving.ts'
import { noId, unique } from '../support/shop-rows.ts'

/** All that a caller can tell an answer by, but for the request's own id and the ids it sent itself. */
const refused = [403, 'not-permitted'] as const

describeServing(
  'write rules',
  (served) => {
    let ada: Row
    let bo: Row
    let copy: Row
    const as: { [who: string]: string } = {}
    const lend = (member: Row, more: object = {}) =>
      served.make('/v2/loans', { member_id: member.id, copy_id: copy.id, days: 7, ...more })

    beforeAll(async () => {
      ada = await served.make('/v2/members', { name: 'Ada' })
      bo = await served.make('/v2/members', { name: 'Bo' })
      const branch = await served.make('/v2/branches', { city: 'Bonn' })
      copy = await served.make('/v2/copies', { label: 'c', branch_id: branch.id })
      const key = (name: string, claims: object, scopes = lendingScopes) =>
        served.api.key('acme', { name: `${name} ${served.kind}`, scopes, claims: { ...claims } })
      as.ada = await key('ada', { member_id: ada.id })
      as.bo = await key('bo', { member_id: bo.id })
      as.bonn = await key('bonn', { city: 'Bonn' })
      as.staff = await key('staff', {}, [...lendingScopes, 'lending:all'])
    })

    const call = (who: string, method: string, path: string, body?: object, headers = {}) =>
      served.call(method, path, { as: as[who] ?? null, headers, ...(body ? { body } : {}) })
    const loanOf = async (id: string) => (await served.get(`/v2/loans/${id}`)).data
    const countOf = async (path: string) => (await served.get(path)).rows.length

    describe('create', () => {
      test('a row that the rule lets through is made, one that it does not is refused, and nothing is written', async () => {
        const own = { member_id: ada.id, copy_id: copy.id, days: 3 }
        expect((await call('ada', 'POST', '/v2/loans', own)).status).toBe(201)
        const loan = await lend(ada)
        const before = await countOf('/v2/fines')
        expect((await call('ada', 'POST', '/v2/fines', { loan_id: loan.id, amount: 1 })).refusal).toEqual(
          refused,
        )
        expect(await countOf('/v2/fines')).toBe(before)
        expect((await call('staff', 'POST', '/v2/fines', { loan_id: loan.id, amount: 1 })).status).toBe(201)
      })

      test('a reference to a row that may not be read is one to a row that does not exist', async () => {
        const body = (member: string, copyId: string) => ({ member_id: member, copy_id: copyId, days: 3 })
        for (const path of ['/v2/loans', `/v2/copies/${copy.id}/loans`]) {
          const sent = (member: string) =>
            path === '/v2/loans' ? body(member, copy.id) : { member_id: member, days: 3 }
          const hidden = await call('ada', 'POST', path, sent(bo.id))
          expect(hidden.refusal).toEqual([422, 'validation-failed'])
          expect(hidden.faults).toEqual(['#/member_id'])
          expect(seen(hidden)).toBe(seen(await call('ada', 'POST', path, sent(noId))))
        }
        const both = await call('ada', 'POST', '/v2/loans', body(bo.id, noId))
        expect(both.faults).toEqual(['#/member_id', '#/copy_id'])
        expect(seen(both)).toBe(seen(await call('ada', 'POST', '/v2/loans', body(noId, noId))))
      })

      test('an owner in the path that may not be read is 404, whatever is in the body', async () => {
        for (const body of [{ copy_id: copy.id, days: 3 }, { days: 'x' }, { copy_id: noId, days: 3 }]) {
          const hidden = await call('ada', 'POST', `/v2/members/${bo.id}/loans`, body)
          expect(hidden.status).toBe(404)
          expect(seen(hidden)).toBe(seen(await call('ada', 'POST', `/v2/members/${noId}/loans`, body)))
        }
        const own = { copy_id: copy.id, days: 3 }
        expect((await call('ada', 'POST', `/v2/members/${ada.id}/loans`, own)).status).toBe(201)
      })

      test('a refused create leaves its Idempotency-Key free', async () => {
        const headers = { 'Idempotency-Key': unique() }
        const loan = await lend(ada)
        const fine = { loan_id: loan.id, amount: 1 }
        expect((await call('ada', 'POST', '/v2/fines', fine, headers)).refusal).toEqual(refused)
        const wrong = { member_id: bo.id, copy_id: copy.id, days: 1 }
        const right = { ...wrong, member_id: ada.id }
        const loanKey = { 'Idempotency-Key': unique() }
        expect((await call('ada', 'POST', '/v2/loans', wrong, loanKey)).status).toBe(422)
        const made = await call('ada', 'POST', '/v2/loans', right, loanKey)
        expect(made.status).toBe(201)
        const again = await call('ada', 'POST', '/v2/loans', right, loanKey)
        expect(again.data).toEqual(made.data)
        expect(again.headers.get('idempotent-replayed')).toBe('true')
      })

      test('takes no more statements than one without rules, where scopes alone decide', async () => {
        const ruled = () => call('staff', 'POST', '/v2/members', { name: 'x' })
        const free = () => call('staff', 'POST', '/v2/branches', { city: 'x' })
        await ruled()
        expect(await served.counted(ruled)).toBe(await served.counted(free))
      })
    })

    describe('update', () => {
      test('is refused by the row as it was', async () => {
        const loan = await lend(ada)
        const path = `/v2/loans/${loan.id}`
        expect((await call('ada', 'PATCH', path, { status: 'active' })).status).toBe(200)
        expect((await call('ada', 'PATCH', path, { status: 'returned' })).status).toBe(200)
        expect((await call('ada', 'PATCH', path, { days: 9 })).refusal).toEqual(refused)
        expect((await call('ada', 'PATCH', `/v1/borrowings/${loan.id}`, { duration: 9 })).refusal).toEqual(
          refused,
        )
        expect((await loanOf(loan.id)).days).toBe(7)
        expect((await call('staff', 'PATCH', path, { days: 9 })).status).toBe(200)
      })

      test('that the rule refuses is refused before its precondition and its body are judged', async () => {
        const loan = await lend(ada)
        const path = `/v2/loans/${loan.id}`
        for (const status of ['active', 'returned']) await call('staff', 'PATCH', path, { status })
        expect((await call('ada', 'PATCH', path, { days: 'x' }, { 'If-Match': '"0"' })).refusal).toEqual(
          refused,
        )
        expect((await call('staff', 'PATCH', path, { days: 1 }, { 'If-Match': '"0"' })).status).toBe(412)
      })

      test('of a row that may not be read is 404', async () => {
        const loan = await lend(bo)
        const paths = [
          `/v2/loans/${loan.id}`,
          `/v1/borrowings/${loan.id}`,
          `/v2/copies/${copy.id}/loans/${loan.id}`,
        ]
        for (const path of paths)
          for (const method of ['PUT', 'PATCH', 'DELETE']) {
            const body = method === 'DELETE' ? undefined : { days: 1 }
            const headers = { 'If-Match': '"0"' }
            const hidden = await call('ada', method, path, body, headers)
            expect(hidden.status, `${method} ${path}`).toBe(404)
            const nowhere = path.replace(loan.id, noId)
            expect(seen(hidden)).toBe(seen(await call('ada', method, nowhere, body, headers)))
          }
        expect((await loanOf(loan.id)).days).toBe(7)
      })

      test('through an owner that may not be read is 404', async () => {
        const loan = await lend(ada)
        const path = `/v2/members/${ada.id}/loans/${loan.id}`
        expect((await call('bonn', 'PATCH', `/v2/loans/${loan.id}`, { days: 8 })).status).toBe(200)
        for (const method of ['PATCH', 'DELETE']) {
          const body = method === 'DELETE' ? undefined : { days: 1 }
          const hidden = await call('bonn', method, path, body)
          expect(hidden.status).toBe(404)
          expect(seen(hidden)).toBe(seen(await call('bonn', method, path.replace(ada.id, noId), body)))
        }
        expect((await call('ada', 'PATCH', path, { days: 9 })).status).toBe(200)
      })

      test('may send back what was shown, also a reference that may not be read, but no new one', async () => {
        const loan = await lend(ada)
        const path = `/v2/loans/${loan.id}`
        const shown = (await call('bonn', 'GET', path)).data
        expect(shown.member_id).toBe(ada.id)
        expect((await call('bonn', 'PUT', path, shown)).status).toBe(200)
        expect((await call('bonn', 'PUT', path, { ...shown, days: 8 })).status).toBe(200)
        const moved = await call('bonn', 'PATCH', path, { member_id: bo.id })
        expect(moved.refusal).toEqual([422, 'validation-failed'])
        expect(seen(moved)).toBe(seen(await call('bonn', 'PATCH', path, { member_id: noId })))
        expect(await loanOf(loan.id)).toMatchObject({ member_id: ada.id, days: 8 })
      })
    })

    test('delete goes by its own rule', async () => {
      const loan = await lend(ada)
      const path = `/v2/loans/${loan.id}`
      await call('ada', 'PATCH', path, { status: 'active' })
      expect((await call('ada', 'DELETE', path)).refusal).toEqual(refused)
      expect((await loanOf(loan.id)).id).toBe(loan.id)
      expect((await call('staff', 'DELETE', path)).status).toBe(204)
      const other = await lend(ada)
      expect((await call('ada', 'DELETE', `/v2/loans/${other.id}`)).status).toBe(204)
      expect((await call('ada', 'DELETE', `/v2/members/${bo.id}`)).status).toBe(404)
    })
  },
  { declaration: lending },
)
