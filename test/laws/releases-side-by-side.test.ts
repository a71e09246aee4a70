import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  contractsOfWorld,
  edits,
  newerWorld,
  olderWords,
  olderWorld,
  whenAbsent,
  wordsOf,
} from '../support/rolling-world.ts'
import { type Answer, type Row, type Serving, serve } from '../support/serving.ts'
import { describeStores } from '../support/stores.ts'

const nightly = process.env.NOUNKIT_NIGHTLY === '1'

/** Who asks: the older process, the newer one in the same version, or the newer one in its own. */
const askers = ['older', 'newer in v1', 'newer in v2'] as const
type Asker = (typeof askers)[number]

/** A row of clients as a person would note it on paper: null where nothing was ever said. */
interface Noted {
  readonly id: string
  readonly name: string
  readonly grade: 'low' | 'high' | 'gold'
  readonly code: string | null
  readonly currency: string | null
  readonly phone: string | null
  readonly note: string
}

interface Step {
  readonly does: 'create' | 'patch' | 'delete' | 'order' | 'bulk'
  readonly asker: Asker
  readonly which: number
  readonly name: string
  readonly grade: 'low' | 'high' | 'gold' | null
  readonly phone: string | null
  readonly note: string | null
}

const step: fc.Arbitrary<Step> = fc.record({
  does: fc.constantFrom('create', 'create', 'create', 'patch', 'patch', 'delete', 'order', 'bulk'),
  asker: fc.constantFrom(...askers),
  which: fc.nat(100),
  name: fc.constantFrom('Ada', 'ada lov', 'Émile', 'Ångström', 'zoë', ''),
  grade: fc.constantFrom('low', 'high', 'gold', null),
  phone: fc.constantFrom('1', '22', 'unknown', null, null),
  note: fc.constantFrom('a', 'b', 'Lovely', null),
})

const trial = fc.record({
  made: fc.subarray([...edits], { minLength: 1 }),
  steps: fc.array(step, { minLength: 8, maxLength: 16 }),
})

class SideBySide {
  readonly #older: Serving
  readonly #newer: Serving
  readonly #made: ReadonlySet<string>
  readonly #noted = new Map<string, Noted>()
  readonly #ordered = new Set<string>()
  #keys = 0

  constructor(older: Serving, newer: Serving, made: readonly string[]) {
    this.#older = older
    this.#newer = newer
    this.#made = new Set(made)
  }

  async take(one: Step): Promise<void> {
    if (one.does === 'create') await this.#create([one])
    else if (one.does === 'bulk') await this.#create([one, { ...one, name: `${one.name}2` }])
    else {
      const noted = [...this.#noted.values()][one.which % Math.max(1, this.#noted.size)]
      if (!noted) return
      if (one.does === 'patch') await this.#patch(noted, one)
      else if (one.does === 'order') await this.#order(noted, one)
      else await this.#delete(noted, one)
    }
  }

  /** Every row, list, page and event: the same from both in v1, and in each version what the notes say. */
  async compare(): Promise<void> {
    const clients = '/v1/clients'
    await this.#sameText('/v1/events?limit=200')
    for (const query of [
      '?sort=full_name,id&limit=50',
      '?sort=-phone,id&include=orders',
      '?sort=note,-id&count=true',
      '?filter[note]=a',
      '?filter[grade]=high',
      '?filter[phone]=unknown',
      '?filter[phone]=null',
      '?search=ada',
      '?search=lov',
    ])
      await this.#sameText(clients + query)
    await this.#sameText('/v1/orders?include=client&sort=id')
    for (const noted of this.#noted.values()) await this.#compareRow(noted)
    await this.#walk()
    await this.#compareNewerLists()
  }

  get #words() {
    return wordsOf(this.#made)
  }

  #at(asker: Asker): { readonly serving: Serving; readonly path: string; readonly clientsPath: string } {
    const serving = asker === 'older' ? this.#older : this.#newer
    const path = asker === 'newer in v2' ? '/v2' : '/v1'
    const { clients } = asker === 'newer in v2' ? this.#words : olderWords
    return { serving, path, clientsPath: `${path}/${clients}` }
  }

  #knows(asker: Asker, edit: string): boolean {
    return asker === 'newer in v2' && this.#made.has(edit)
  }

  /** Sends a create under a key, and again to the other process. */
  async #create(steps: readonly Step[]): Promise<void> {
    const [first] = steps
    if (!first) return
    const { asker } = first
    if (steps.length > 1 && this.#knows(asker, 'remove-bulk')) return
    const { serving, clientsPath } = this.#at(asker)
    const bodies = steps.map((one) => this.#body(one))
    const body = steps.length === 1 ? bodies[0] : { data: bodies }
    const headers = { 'Idempotency-Key': `create-${this.#keys++}` }
    const made = await serving.call('POST', clientsPath, { body, headers })
    expect(made.status, `${asker} ${made.text}`).toBe(201)
    if (asker !== 'newer in v2') {
      const other = asker === 'older' ? this.#newer : this.#older
      const again = await other.call('POST', clientsPath, { body, headers })
      expect([again.status, again.text]).toEqual([201, made.text])
    }
    const rows = steps.length === 1 ? [made.data] : made.rows
    for (const [index, { id }] of rows.entries()) {
      const one = steps[index] as Step
      const noted = this.#notedFrom(one, id)
      this.#noted.set(id, noted)
      await this.#compareRow(noted)
    }
  }

  #body({ asker, name, grade, phone, note }: Step): object {
    const words = asker === 'newer in v2' ? this.#words : olderWords
    const sent =
      asker !== 'newer in v2' || this.#made.has('map-values')
        ? this.#gradeFor(asker, grade)
        : this.#plain(grade)
    const isRequired = this.#knows(asker, 'make-required')
    return {
      [words.name]: name,
      ...(sent && { grade: sent === 'low' ? words.low : sent }),
      ...(!this.#knows(asker, 'remove-field') && { code: 'c1' }),
      ...(this.#knows(asker, 'add-required-field') && { currency: 'USD' }),
      ...((phone !== null || isRequired) && { phone: phone ?? '0' }),
      ...(note !== null && { note }),
    }
  }

  /** Only the newer version has gold. */
  #gradeFor(asker: Asker, grade: Step['grade']): Step['grade'] {
    return asker === 'newer in v2' ? grade : this.#plain(grade)
  }

  #plain(grade: Step['grade']): Step['grade'] {
    return grade === 'gold' ? 'high' : grade
  }

  #notedFrom({ asker, name, grade, phone, note }: Step, id: string): Noted {
    const isNewer = asker === 'newer in v2'
    const isGold = isNewer && this.#made.has('map-values')
    return {
      id,
      name,
      grade: (isGold ? grade : this.#plain(grade)) ?? 'low',
      code: this.#knows(asker, 'remove-field') ? null : 'c1',
      currency: this.#knows(asker, 'add-required-field') ? 'USD' : null,
      phone: phone ?? this.#noPhone(asker, '0'),
      note: note ?? (this.#knows(asker, 'change-default') ? 'b' : 'a'),
    }
  }

  /** What is stored for who sends none: the older process writes nothing, and v1 of the newer one what its change says. */
  #noPhone(asker: Asker, sent: string): string | null {
    if (asker === 'older' || !this.#made.has('make-required')) return null
    return asker === 'newer in v2' ? sent : whenAbsent.phone
  }

  /** With the entity tag that the other process gave. */
  async #patch(noted: Noted, { asker, name, phone, which }: Step): Promise<void> {
    const { serving, path, clientsPath } = this.#at(asker)
    const words = path === '/v2' ? this.#words : olderWords
    const giver = asker === 'older' ? this.#newer : asker === 'newer in v1' ? this.#older : this.#newer
    const { etag } = await giver.get(`${clientsPath}/${noted.id}`)
    const setsPhone = which % 2 === 0
    const set = phone ?? this.#noPhone(asker, '9')
    const sent = phone ?? (this.#knows(asker, 'make-required') ? '9' : null)
    const body = setsPhone ? { phone: sent } : { [words.name]: name }
    const headers = { 'If-Match': etag }
    const changed = await serving.call('PATCH', `${clientsPath}/${noted.id}`, { body, headers })
    expect(changed.status, `${asker} ${changed.text}`).toBe(200)
    const next = this.#afterWrite({ ...noted, ...(setsPhone ? { phone: set } : { name }) }, noted, asker)
    expect(changed.data).toMatchObject(this.#shown(next, asker))
    this.#noted.set(noted.id, next)
    await this.#compareRow(next)
  }

  /** The newer process gives a row that it changes all values that are required. One that it leaves as it was stays without them. */
  #afterWrite(next: Noted, before: Noted, asker: Asker): Noted {
    if (asker === 'older' || !this.#made.has('make-required')) return next
    const full = { ...next, phone: next.phone ?? whenAbsent.phone }
    const changesNothing = full.name === before.name && full.phone === (before.phone ?? whenAbsent.phone)
    return changesNothing ? before : full
  }

  async #order({ id }: Noted, { asker }: Step): Promise<void> {
    const { serving, path } = this.#at(asker)
    const field = `${(path === '/v2' ? this.#words : olderWords).client}_id`
    const headers = { 'Idempotency-Key': `order-${this.#keys++}` }
    const made = await serving.call('POST', `${path}/orders`, { body: { [field]: id }, headers })
    expect(made.status, `${asker} ${made.text}`).toBe(201)
    this.#ordered.add(id)
    const paid = await serving.call('PATCH', `${path}/orders/${made.data.id}`, { body: { status: 'paid' } })
    expect(paid.status, `${asker} ${paid.text}`).toBe(200)
    await this.#sameText(`/v1/orders/${made.data.id}`)
  }

  /** A client with orders stays, and both processes say so in the same words. */
  async #delete({ id }: Noted, { asker }: Step): Promise<void> {
    const { serving, clientsPath } = this.#at(asker)
    if (this.#ordered.has(id)) {
      const refusals = await this.#fromBoth((one) => one.call('DELETE', `/v1/clients/${id}`))
      expect(refusals.map(({ status }) => status)).toEqual([409, 409])
      const [older, newer] = refusals.map(({ problem: { instance: _, ...rest } }) => rest)
      expect(newer).toEqual(older)
      return
    }
    const deleted = await serving.call('DELETE', `${clientsPath}/${id}`)
    expect(deleted.status, `${asker} ${deleted.text}`).toBe(204)
    this.#noted.delete(id)
    const gone = await this.#fromBoth((one) => one.get(`/v1/clients/${id}`))
    expect(gone.map(({ status }) => status)).toEqual([404, 404])
  }

  async #compareRow(noted: Noted): Promise<void> {
    const shown = await this.#sameText(`/v1/clients/${noted.id}`)
    expect(shown.data).toMatchObject(this.#shown(noted, 'older'))
    const newest = await this.#newer.get(`/v2/${this.#words.clients}/${noted.id}`)
    expect(newest.status, newest.text).toBe(200)
    expect(newest.data).toMatchObject(this.#shown(noted, 'newer in v2'))
  }

  #shown({ id, name, grade, code, currency, phone, note }: Noted, asker: Asker): object {
    const isNewer = asker === 'newer in v2'
    const words = isNewer ? this.#words : olderWords
    const seen = grade === 'gold' && !isNewer ? 'high' : grade
    return {
      id,
      [words.name]: name,
      grade: seen === 'low' ? words.low : seen,
      ...(!this.#knows(asker, 'remove-field') && { code: code ?? whenAbsent.code }),
      ...(this.#knows(asker, 'add-required-field') && { currency: currency ?? whenAbsent.currency }),
      phone: phone ?? (this.#knows(asker, 'make-required') ? whenAbsent.phone : null),
      note,
    }
  }

  /** Pages that are taken from the two processes by turns. */
  async #walk(): Promise<void> {
    for (const sort of ['phone', '-full_name', '-id']) {
      const seen: string[] = []
      let cursor = ''
      for (let page = 0; page <= this.#noted.size; page++) {
        const serving = page % 2 ? this.#newer : this.#older
        const answer = await serving.get(`/v1/clients?limit=2&sort=${sort}${cursor}`)
        expect(answer.status, answer.text).toBe(200)
        seen.push(...answer.rows.map(({ id }) => id))
        if (!answer.page.next_cursor) break
        cursor = `&cursor=${encodeURIComponent(answer.page.next_cursor)}`
      }
      expect(seen.toSorted()).toEqual([...this.#noted.keys()].sort())
    }
  }

  /** What the newer version shows where nothing is stored is also what it filters and sorts by. */
  async #compareNewerLists(): Promise<void> {
    const { clients } = this.#words
    const all = [...this.#noted.values()]
    const phoneOf = (noted: Noted) => (this.#shown(noted, 'newer in v2') as { phone: string | null }).phone
    for (const phone of [...new Set(all.map(phoneOf))].filter((one) => one !== null)) {
      const found = await this.#newer.get(`/v2/${clients}?filter[phone]=${phone}&limit=40`)
      const expected = all.filter((noted) => phoneOf(noted) === phone).map(({ id }) => id)
      expect(found.rows.map(({ id }) => id).toSorted(), `phone=${phone}`).toEqual(expected.toSorted())
    }
    if (this.#made.has('add-required-field')) {
      const euros = await this.#newer.get(`/v2/${clients}?filter[currency]=EUR&limit=40`)
      const expected = all.filter(({ currency }) => (currency ?? 'EUR') === 'EUR').map(({ id }) => id)
      expect(euros.rows.map(({ id }) => id).toSorted()).toEqual(expected.toSorted())
    }
    if (!this.#made.has('make-required')) return
    const sorted = await this.#newer.get(`/v2/${clients}?sort=phone&limit=40`)
    const phones = sorted.rows.map(({ phone }) => String(phone))
    expect(phones).toEqual(phones.toSorted())
  }

  async #sameText(path: string): Promise<Answer> {
    const [older, newer] = await this.#fromBoth((serving) => serving.get(path))
    expect(older?.status, `${path} ${older?.text}`).toBe(200)
    expect([newer?.status, newer?.etag, dataText(newer)], path).toEqual([200, older?.etag, dataText(older)])
    return older as Answer
  }

  #fromBoth(ask: (serving: Serving) => Promise<Answer>): Promise<readonly Answer[]> {
    return Promise.all([ask(this.#older), ask(this.#newer)])
  }
}

/** Without cursors, which are sealed anew each time. */
const dataText = (answer: Answer | undefined): string => {
  if (!answer) return ''
  const { data, page } = answer.json as {
    readonly data: Row | readonly Row[]
    readonly page?: { readonly total?: number }
  }
  return JSON.stringify([data, page?.total])
}

describeStores('an older and a newer declaration on one store', (store) => {
  test('v1 is the same bytes from both, and each version shows what a list on paper would', async () => {
    await fc.assert(
      fc.asyncProperty(trial, async ({ made, steps }) => {
        const url = await store.url()
        const contracts = contractsOfWorld()
        const older = await serve(store.kind, url, { declaration: olderWorld(), contracts })
        const newer = await serve(store.kind, url, { declaration: newerWorld(new Set(made)), contracts })
        try {
          // A process that serves does so every two seconds, and `nounkit serve` waits for it.
          await older.api.service.lifecycle.beat()
          const both = new SideBySide(older, newer, made)
          for (const one of steps) await both.take(one)
          await both.compare()
        } finally {
          await newer.api.close()
          await older.api.close()
        }
      }),
      { numRuns: nightly ? 300 : 5, ...(nightly ? {} : { seed: 20_261_119, endOnFailure: true }) },
    )
  }, 600_000)
})
