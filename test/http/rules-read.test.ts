import { beforeAll, describe, expect, test } from 'vitest'
import { lending, lendingScopes } from '../support/lending.ts'
import { seen, uuids } from '../support/seen-answer.ts'
import { type Answer, describeServing, type Row, type RowList } from '../support/serving.ts'
import { noId } from '../support/shop-rows.ts'

/** All that a caller can tell an answer by, but for the request's own id and the ids it sent itself. */
describeServing(
  'read rules',
  (served) => {
    let ada: Row
    let bo: Row
    let north: Row
    let south: Row
    /** Ada's loans: two of a copy in Ulm, then one of a copy in Bonn. Bo's: one in Ulm. */
    const adas: Row[] = []
    let bos: Row
    let fine: Row
    let bosFine: Row
    const as: { [who: string]: string } = {}

    beforeAll(async () => {
      ada = await served.make('/v2/members', { name: 'Ada' })
      bo = await served.make('/v2/members', { name: 'Bo' })
      const ulm = await served.make('/v2/branches', { city: 'Ulm' })
      const bonn = await served.make('/v2/branches', { city: 'Bonn' })
      north = await served.make('/v2/copies', { label: 'n', branch_id: ulm.id })
      south = await served.make('/v2/copies', { label: 's', branch_id: bonn.id })
      const lend = (member: Row, copy: Row, days: number) =>
        served.make('/v2/loans', { member_id: member.id, copy_id: copy.id, days })
      adas.push(await lend(ada, north, 30), await lend(ada, north, 10))
      bos = await lend(bo, north, 20)
      adas.push(await lend(ada, south, 25))
      fine = await served.make('/v2/fines', { loan_id: adas[0]?.id, amount: 5 })
      bosFine = await served.make('/v2/fines', { loan_id: bos.id, amount: 7 })
      const key = (name: string, claims: object, scopes = lendingScopes) =>
        served.api.key('acme', { name: `${name} ${served.kind}`, scopes, claims: { ...claims } })
      as.ada = await key('ada', { member_id: ada.id })
      as.bo = await key('bo', { member_id: bo.id })
      as.bonn = await key('bonn', { city: 'Bonn' })
      as.both = await key('both', { city: 'Bonn', member_id: bo.id })
      as.nobody = await key('nobody', {})
      as.staff = await key('staff', {}, [...lendingScopes, 'lending:all'])
      as.other = await served.api.key('globex', {
        name: `other ${served.kind}`,
        scopes: [...lendingScopes],
        claims: { member_id: ada.id, city: 'Ulm' },
      })
    })

    const daysOf = (answer: Answer) => answer.rows.map((row) => row.days ?? row.duration)
    const list = async (who: string, query = '', path = '/v2/loans') =>
      daysOf(await served.get(path + query, { as: as[who] ?? null }))

    describe('decide which rows a list has', () => {
      test('by a claim, over two relations, by a scope, by *', async () => {
        expect(await list('ada')).toEqual([30, 10, 25])
        expect(await list('bo')).toEqual([20])
        expect(await list('bonn')).toEqual([25])
        expect(await list('both')).toEqual([20, 25])
        expect(await list('nobody')).toEqual([])
        expect(await list('other')).toEqual([])
        expect(await list('staff')).toEqual([30, 10, 20, 25])
        expect(daysOf(await served.get('/v2/loans'))).toEqual([30, 10, 20, 25])
      })

      test('with filters and sorts, which find nothing that may not be seen', async () => {
        expect(await list('ada', '?sort=days')).toEqual([10, 25, 30])
        expect(await list('ada', '?sort=-note,days')).toEqual([10, 25, 30])
        expect(await list('ada', '?filter[days][lt]=26&sort=days')).toEqual([10, 25])
        expect(await list('ada', '?filter[days]=20')).toEqual([])
        expect(await list('ada', `?filter[member_id]=${bo.id}`)).toEqual([])
        expect(await list('bonn', `?filter[member_id]=${ada.id}`)).toEqual([25])
      })

      test('on every page', async () => {
        for (const query of ['limit=1', 'limit=1&sort=-days', 'limit=1&sort=note']) {
          const found: unknown[] = []
          let next = `/v2/loans?${query}`
          for (let pages = 0; next !== '' && pages < 9; pages++) {
            const answer = await served.get(next, { as: as.ada ?? '' })
            found.push(...daysOf(answer))
            next = answer.page.has_more ? `/v2/loans?${query}&cursor=${answer.page.next_cursor}` : ''
          }
          expect(found.sort()).toEqual([10, 25, 30])
        }
      })

      test('in older versions', async () => {
        expect(await list('ada', '?sort=duration', '/v1/borrowings')).toEqual([10, 25, 30])
        expect(await list('bonn', '', '/v1/borrowings')).toEqual([25])
      })

      test('in sub-collections', async () => {
        const path = `/v2/copies/${north.id}/loans`
        expect(await list('ada', '', path)).toEqual([30, 10])
        expect(await list('bo', '', path)).toEqual([20])
        expect(await list('nobody', '', path)).toEqual([])
        expect(await list('staff', '', path)).toEqual([30, 10, 20])
      })
    })

    test('a row that may not be read is, byte for byte, one that never was', async () => {
      const paths = [
        `/v2/loans/${bos.id}`,
        `/v1/borrowings/${bos.id}`,
        `/v2/loans/${bos.id}?include=member,copy.branch`,
        `/v2/members/${bo.id}`,
        `/v2/fines/${bosFine.id}`,
        `/v2/copies/${north.id}/loans/${bos.id}`,
      ]
      for (const path of paths) {
        const nowhere = path.replace(path.match(uuids)?.at(-1) ?? '', noId)
        for (const method of ['GET', 'HEAD']) {
          const hidden = await served.call(method, path, { as: as.ada ?? '' })
          expect(hidden.status, `${method} ${path}`).toBe(404)
          expect(seen(hidden)).toBe(seen(await served.call(method, nowhere, { as: as.ada ?? '' })))
        }
        expect((await served.get(path, { as: as.staff ?? '' })).status).toBe(200)
      }
      expect((await served.get(`/v2/loans/${adas[0]?.id}`, { as: as.ada ?? '' })).data.days).toBe(30)
      expect((await served.get(`/v2/loans/${adas[2]?.id}`, { as: as.bonn ?? '' })).data.days).toBe(25)
    })

    test('an owner in the path that may not be read is 404', async () => {
      const paths = [
        `/v2/members/${ada.id}/loans`,
        // The loan itself may be seen, for its city.
        `/v2/members/${ada.id}/loans/${adas[2]?.id}`,
        `/v1/members/${ada.id}/loans`,
      ]
      for (const path of paths) {
        const hidden = await served.get(path, { as: as.bonn ?? '' })
        expect(hidden.status, path).toBe(404)
        expect(seen(hidden)).toBe(seen(await served.get(path.replace(ada.id, noId), { as: as.bonn ?? '' })))
        expect((await served.get(path, { as: as.ada ?? '' })).status).toBe(200)
      }
    })

    describe('decide what an include has', () => {
      const included = async (who: string, path: string) => {
        const answer = await served.get(path, { as: as[who] ?? '' })
        expect(answer.status, answer.text).toBe(200)
        return answer
      }
      const loansIn = (row: unknown) => (row as { loans: RowList }).loans

      test('a row of a to-many is not there, and not counted', async () => {
        const path = `/v2/copies/${north.id}?include=loans.member`
        const staff = loansIn((await included('staff', path)).data)
        expect(staff.data.map((loan) => loan.days)).toEqual([30, 10, 20])
        const answer = await included('bo', path)
        expect(loansIn(answer.data).data.map((loan) => loan.days)).toEqual([20])
        expect(loansIn(answer.data).page).toMatchObject({ has_more: false })
        expect(answer.text).not.toContain(ada.id)
        expect(loansIn((await included('nobody', path)).data).data).toEqual([])
      })

      test('a row of a to-one is null, and its id stays', async () => {
        const answer = await included('bonn', `/v2/loans/${adas[2]?.id}?include=member,copy.branch`)
        expect(answer.data).toMatchObject({
          member_id: ada.id,
          member: null,
          copy: { id: south.id, branch: { city: 'Bonn' } },
        })
        const listed = await included('bonn', '/v2/loans?include=member')
        expect(listed.rows).toMatchObject([{ member_id: ada.id, member: null }])
        expect((await included('ada', '/v2/loans?include=member')).rows[0]).toMatchObject({
          member: { name: 'Ada' },
        })
      })

      test('at every depth, in every version', async () => {
        const own = await included('ada', `/v2/members/${ada.id}?include=loans.fines,loans.copy`)
        const [first] = loansIn(own.data).data as readonly (Row & { fines: RowList })[]
        expect(first?.fines.data).toMatchObject([{ id: fine.id }])
        const bonn = await included('bonn', '/v2/loans?include=fines')
        expect(bonn.text).not.toContain(fine.id)
        const older = await included('bonn', '/v1/borrowings?include=member,fines')
        expect(older.rows).toMatchObject([{ member: null, fines: { data: [] } }])
      })

      test('and its continuation goes on with the rows that may be seen', async () => {
        const { loans } = (await included('ada', `/v2/members/${ada.id}?include=loans`)).data as unknown as {
          loans: RowList
        }
        expect(loans.data.map((loan) => loan.days)).toEqual([30, 10])
        const next = loans.page.next ?? ''
        expect(daysOf(await served.get(next, { as: as.ada ?? '' }))).toEqual([25])
        // The cursor is bound to the claims that the rule reads.
        expect((await served.get(next, { as: as.staff ?? '' })).refusal).toEqual([400, 'bad-cursor'])
      })
    })

    test('entity tags tell what a caller was shown', async () => {
      const path = `/v2/loans/${adas[2]?.id}?include=member`
      const hidden = await served.get(path, { as: as.bonn ?? '' })
      const whole = await served.get(path, { as: as.ada ?? '' })
      expect(hidden.etag).not.toBe(whole.etag)
      const again = await served.get(path, { as: as.bonn ?? '', headers: { 'If-None-Match': hidden.etag } })
      expect(again.status).toBe(304)
      const other = await served.get(path, { as: as.bonn ?? '', headers: { 'If-None-Match': whole.etag } })
      expect(other.status).toBe(200)
      const stale = await served.get(`/v2/loans/${bos.id}`, {
        as: as.ada ?? '',
        headers: { 'If-None-Match': '*' },
      })
      expect(stale.status).toBe(404)
    })

    test('a cursor is bound to the claims that the rule reads', async () => {
      const { page } = await served.get('/v2/loans?limit=1', { as: as.ada ?? '' })
      const next = `/v2/loans?limit=1&cursor=${page.next_cursor}`
      expect(daysOf(await served.get(next, { as: as.ada ?? '' }))).toEqual([10])
      for (const who of ['bo', 'bonn', 'nobody', 'staff'])
        expect((await served.get(next, { as: as[who] ?? '' })).refusal).toEqual([400, 'bad-cursor'])
    })

    test('each read is still one statement', async () => {
      const one = () =>
        served.get(`/v2/loans/${adas[0]?.id}?include=member,copy.branch`, { as: as.ada ?? '' })
      const many = () => served.get('/v2/loans?include=fines&limit=2', { as: as.ada ?? '' })
      const nested = () => served.get(`/v2/members/${ada.id}/loans`, { as: as.ada ?? '' })
      await one()
      expect(await served.counted(one)).toBe(1)
      expect(await served.counted(many)).toBe(1)
      expect(await served.counted(nested)).toBe(1)
    })
  },
  { declaration: lending },
)
