import { expect, test } from 'vitest'
import library from '../../examples/library/api.ts'
import { describeServing, type Serving } from '../support/serving.ts'
import { unique } from '../support/shop-rows.ts'

const as = 'riverside'

/** A member with copies at home, and one copy reserved. */
async function borrower(served: Serving, atHome: number): Promise<readonly [id: string, reserved: string]> {
  const name = unique()
  const { id } = await served.make('/v1/members', { name, email: `m${name}@example.com` }, { as })
  const { rows: copies } = await served.get('/v1/copies', { as })
  const reserve = () => served.make('/v1/loans', { member_id: id, copy_id: copies[0]?.id }, { as })
  for (let n = 0; n < atHome; n++) {
    const lent = await lend(served, (await reserve()).id)
    expect(lent.status, lent.text).toBe(200)
  }
  return [id, (await reserve()).id]
}

const lend = (served: Serving, loan: string) =>
  served.call('PATCH', `/v1/loans/${loan}`, { as, body: { status: 'active' } })

describeServing(
  'the library',
  (served) => {
    test('refuses a sixth active loan, and lends again when a copy is back', async () => {
      const [member, sixth] = await borrower(served, 5)
      expect((await lend(served, sixth)).refusal).toEqual([409, 'too-many-loans'])
      const { rows } = await served.get(`/v1/members/${member}/loans?filter[status]=active`, { as })
      expect(rows).toHaveLength(5)
      const back = { as, body: { status: 'returned' } }
      expect((await served.call('PATCH', `/v1/loans/${rows[0]?.id}`, back)).status).toBe(200)
      expect((await lend(served, sixth)).status).toBe(200)
    })

    test('lends only one of two copies that a member with four asks for at once', async () => {
      const [member, fifth] = await borrower(served, 4)
      const { rows: copies } = await served.get('/v1/copies', { as })
      const sixth = await served.make('/v1/loans', { member_id: member, copy_id: copies[1]?.id }, { as })
      const both = await Promise.all([fifth, sixth.id].map((loan) => lend(served, loan)))
      expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    })

    test('takes a reservation back, but not a loan', async () => {
      const [, loan] = await borrower(served, 0)
      const [, reserved] = await borrower(served, 0)
      await lend(served, loan)
      expect((await served.call('DELETE', `/v1/loans/${reserved}`, { as })).status).toBe(204)
      expect((await served.call('DELETE', `/v1/loans/${loan}`, { as })).refusal).toEqual([
        403,
        'not-permitted',
      ])
    })
  },
  { declaration: library },
)
