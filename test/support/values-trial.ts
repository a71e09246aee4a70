import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import type { RandomField } from './random-field.ts'
import type { At } from './random-words.ts'
import { type Answer, type Call, type Fields, type Json, nameOf, seedOf, served } from './values-api.ts'

/** A row of the naive model: what is stored in each field. */
interface Row {
  readonly id: string
  readonly stored: unknown[]
}

/** The expected answer to one value that is sent, and the expected stored value. */
type Verdict = { readonly status: 200 | 201; readonly stored: unknown } | { readonly status: 409 | 422 }

const same = (a: unknown, b: unknown): boolean => isDeepStrictEqual(a, b)

const onUpdate = (field: RandomField, at: At, stored: unknown, sent: unknown): Verdict => {
  // Null leaves a state as it is.
  if (field.moves && sent === null) return { status: 200, stored }
  const hidden = field.mark === 'writeOnly'
  if (!hidden && same(sent, field.shown(at, stored))) return { status: 200, stored }
  const read = field.read(at, sent)
  if (read === undefined) return { status: 422 }
  if (!hidden && same(read, stored)) return { status: 200, stored }
  if (field.mark === 'immutable' || field.mark === 'readOnly') return { status: 422 }
  if (!field.moves) return { status: 200, stored: read }
  const inVersion = field.moves(at, String(field.shown(at, stored)), String(sent))
  const inHead = field.moves(2, String(stored), String(read))
  return inVersion && inHead ? { status: 200, stored: read } : { status: 409 }
}

const onCreate = (field: RandomField, at: At, sent: unknown): Verdict => {
  if (field.mark === 'readOnly') return { status: 422 }
  const initial = field.stored[0]
  if (field.moves) {
    const isFirst = sent === null || sent === field.shown(at, initial)
    return isFirst ? { status: 201, stored: initial } : { status: 422 }
  }
  const read = field.read(at, sent)
  return read === undefined ? { status: 422 } : { status: 201, stored: read }
}

/** A body for a create in a version, and what it stores: of each field a value that the version can write. */
const newRow = (all: Fields, at: At, pick: (below: number) => number) => {
  const stored = all.map((field) => {
    const writable = field.stored.filter((one) => same(field.read(at, field.shown(at, one)), one))
    if (field.moves) return field.stored[0]
    const from = field.mark === 'readOnly' ? field.stored : writable
    return from[pick(from.length)]
  })
  const sent = all.flatMap((field, index) => {
    if (field.moves) return []
    if (field.mark === 'readOnly') return [[seedOf(index), JSON.stringify(stored[index])]]
    return [[nameOf(index), field.shown(at, stored[index])]]
  })
  return { stored, body: Object.fromEntries(sent) as Json }
}

/** All values that any version shows, and further values worth sending. */
const valuesFor = (field: RandomField): readonly unknown[] => [
  ...field.sent,
  ...field.stored.flatMap((stored) => ([0, 1, 2] as const).map((at) => field.shown(at, stored))),
  null,
]

const versions = ['v1', 'v2', 'v3'] as const
interface Found {
  sent: number
  refused: number
  taken: number
}

/** Calls to each API. */
const calls = 150

/** One random API, and random calls to it, each compared with the model. */
class Trial {
  readonly all: Fields
  readonly call: Call
  readonly pick: (below: number) => number
  readonly rows: Row[] = []
  readonly found: Found

  constructor(all: Fields, call: Call, numbers: Iterator<number>, found: Found) {
    this.found = found
    this.all = all
    this.call = call
    this.pick = (below) => Number(numbers.next().value) % below
  }

  async create(at: At, change: { readonly index: number; readonly value: unknown } | null): Promise<void> {
    const { stored, body } = newRow(this.all, at, this.pick)
    const field = change && this.all[change.index]
    const verdict = field ? onCreate(field, at, change.value) : { status: 201 as const, stored: null }
    const sent = change ? { ...body, [nameOf(change.index)]: change.value } : body
    const answer = await this.call('POST', `/${versions[at]}/things`, sent)
    this.judge(answer, verdict.status, change?.index, `POST ${versions[at]} ${JSON.stringify(sent)}`)
    if (verdict.status !== 201) return
    if (change) stored[change.index] = verdict.stored
    const row = { id: (answer.body.data as { id: string }).id, stored }
    this.rows.push(row)
    await this.compare(at, row, answer.text)
  }

  async update(method: 'PUT' | 'PATCH', at: At, row: Row, index: number, value: unknown): Promise<void> {
    const field = this.all[index]
    if (!field) return
    const path = `/${versions[at]}/things/${row.id}`
    const verdict = onUpdate(field, at, row.stored[index], value)
    const before = method === 'PUT' ? ((await this.call('GET', path)).body.data as Json) : {}
    const answer = await this.call(method, path, { ...before, [nameOf(index)]: value })
    const stands = JSON.stringify(row.stored[index])
    const told = `${method} ${versions[at]} ${nameOf(index)} = ${JSON.stringify(value)} on ${stands}`
    this.judge(answer, verdict.status, index, told)
    if (verdict.status === 200) row.stored[index] = verdict.stored
    await this.compare(at, row, told)
  }

  /** A filter by a value of the version finds what it shows so; any other is refused, alone or in a list. */
  async filter(at: At, index: number, value: unknown): Promise<void> {
    const field = this.all[index]
    if (!field?.finds || (typeof value === 'object' && value !== null)) return
    const text = String(value)
    const shown = String(field.shown(at, field.stored[0]))
    const found = field.finds(at, text)
    const operator = ['eq', 'ne', 'in'][this.pick(3)]
    const asked = encodeURIComponent(operator === 'in' ? `${shown},${text}` : text)
    const told = `${versions[at]} filter[${nameOf(index)}][${operator}]=${asked}`
    const answer = await this.call('GET', `/${versions[at]}/things?limit=100&${told.slice(3)}`)
    this.answered(answer.status, found ? 200 : 400, `${told} ${answer.text}`)
    if (!found) return
    const matches = ({ stored }: Row) => {
      const isFound = found(stored[index])
      if (operator === 'in') return isFound || String(field.shown(at, stored[index])) === shown
      return isFound === (operator === 'eq')
    }
    const ids = (answer.body.data as readonly { id: string }[]).map(({ id }) => id)
    expect(ids, told).toEqual(this.rows.filter(matches).map(({ id }) => id))
  }

  answered(status: number, wanted: number, told: string): void {
    this.found.sent++
    if (wanted < 300) this.found.taken++
    else this.found.refused++
    expect(status, told).toBe(wanted)
  }

  judge({ status, text, body }: Answer, wanted: number, index: number | undefined, told: string): void {
    this.answered(status, wanted, `${told}: ${text}`)
    if (status !== 422 || index === undefined) return
    const errors = body.errors as readonly { readonly pointer: string }[]
    for (const { pointer } of errors) expect(pointer, told).toMatch(`#/${nameOf(index)}`)
  }

  /** The caller's version and the head show the row as the model has it, so nothing else was changed. */
  async compare(caller: At, row: Row, told: string): Promise<void> {
    for (const at of new Set<At>([2, caller])) {
      const { body } = await this.call('GET', `/${versions[at]}/things/${row.id}`)
      const shown = this.all.flatMap((field, index) =>
        field.mark === 'writeOnly' ? [] : [[nameOf(index), field.shown(at, row.stored[index])]],
      )
      expect(body.data, `${versions[at]} after ${told}`).toMatchObject(Object.fromEntries(shown))
    }
  }

  async step(): Promise<void> {
    const at = this.pick(3) as At
    const index = this.pick(this.all.length)
    const field = this.all[index]
    const row = this.rows[this.pick(this.rows.length)]
    if (!field || !row) return
    const values = valuesFor(field)
    const value = values[this.pick(values.length)]
    const kind = this.pick(8)
    if (kind === 0) await this.create(at, { index, value })
    else if (kind === 1) await this.filter(at, index, value)
    else await this.update(kind < 4 ? 'PUT' : 'PATCH', at, row, index, value)
  }
}

export const trial = async (url: string, all: Fields, seed: number, found: Found): Promise<void> => {
  const { call, close } = await served(all, url)
  try {
    const one = new Trial(all, call, numbersFrom(seed), found)
    for (const at of [2, 2, 1, 0] as const) await one.create(at, null)
    for (let step = 0; step < calls; step++) await one.step()
  } finally {
    await close()
  }
}

/** The same numbers for the same seed, so that a failure can be run again. */
function* numbersFrom(seed: number): Generator<number> {
  let state = seed >>> 0
  while (true) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    yield state >>> 8
  }
}
