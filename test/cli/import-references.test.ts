import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { api, belongsTo, hasMany, resource, sum } from '../../src/index.ts'
import { nextGeneration, readGeneration } from '../../src/migrate/record/store-generation.ts'
import { checkFile, type FileImport } from '../../src/transfer/import-file.ts'
import { ImportMark } from '../../src/transfer/import-mark.ts'
import { Importer } from '../../src/transfer/importer.ts'
import { openSource } from '../../src/transfer/source-file.ts'
import { actorOfCommand } from '../../src/write/actor.ts'
import { temporaryFolder } from '../support/databases.ts'
import { describeServing, type Row, type Serving } from '../support/serving.ts'

type Line = { readonly [name: string]: unknown }

/** Declared before the resource that it names, so that the order of resources does not help. */
const things = resource('things', {
  fields: { grams: z.int() },
  relations: { box: belongsTo('boxes', { optional: true }) },
})
const boxes = resource('boxes', {
  fields: { label: z.string(), weight: sum('things', 'grams') },
  relations: { things: hasMany('things'), outer: belongsTo('boxes', { optional: true }) },
})
const nodes = resource('nodes', {
  fields: { name: z.string() },
  relations: {
    parent: belongsTo('nodes', { optional: true }),
    other: belongsTo('nodes', { optional: true }),
    place: belongsTo('places', { optional: true }),
  },
})
const places = resource('places', { fields: { name: z.string() }, shared: true })
const declaration = api('store', { events: { keepDays: 1 }, resources: [things, boxes, nodes, places] })

const uuid = (at: number): string => `01900000-0000-7000-8000-${at.toString(16).padStart(12, '0')}`
const tooMuch = Number.MAX_SAFE_INTEGER

function fileWith(lines: readonly Line[]): string {
  const path = join(temporaryFolder(), 'rows.jsonl')
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return path
}

const refuse = (message: string): Error => new Error(message)

const importOf = async (served: Serving, path: string, from = 1): Promise<FileImport> => {
  const { writer, model } = served.api.service.engine
  return {
    file: openSource(path, 'rows.jsonl', refuse),
    target: { model, format: 'jsonl', resource: null, account: 'acme', now: Date.now },
    writer,
    actor: actorOfCommand(null),
    mark: new ImportMark(writer.store, path),
    from,
    generation: await readGeneration(writer.store),
    progress: () => {},
    warn: () => {},
  }
}

/** Checks the file and writes its rows; the mistakes, where there are some. */
async function importing(what: FileImport): Promise<readonly object[]> {
  const mark = await what.mark.read()
  const checked = await checkFile(what, mark)
  if (checked.mistakes.count === 0) await new Importer(what, checked, mark).run()
  return checked.mistakes.kept
}

/** Ends after the first transaction, as if it had been killed. */
const interrupted = (what: FileImport): FileImport => ({
  ...what,
  progress(label) {
    if (label === 'Importing') throw new Error('killed')
  },
})

const versionOf = (tag: string | null): string | undefined => tag?.split('.')[0]?.slice(1)

const events = async (served: Serving): Promise<readonly string[]> =>
  (await served.get('/v1/events?limit=100&sort=-id')).rows.map(({ type }) => String(type)).toReversed()

describeServing(
  'an import of references to rows that come later',
  (served) => {
    const read = async (path: string): Promise<Row & { readonly version: string | undefined }> => {
      const answer = await served.get(path)
      return { ...answer.data, version: versionOf(answer.headers.get('etag')) }
    }

    test('gives sums what they add up, and tells each row once', async () => {
      const before = (await events(served)).length
      const file = fileWith([
        { '@resource': 'things', id: uuid(1), grams: 5, box_id: uuid(3), '@version': 4 },
        { '@resource': 'things', id: uuid(2), grams: 7, box_id: uuid(3) },
        { '@resource': 'boxes', id: uuid(3), label: 'red' },
      ])
      expect(await importing(await importOf(served, file))).toEqual([])
      // One more version, however many rows the sum adds up.
      expect(await read(`/v1/boxes/${uuid(3)}`)).toMatchObject({ weight: 12, version: '2' })
      expect(await read(`/v1/things/${uuid(1)}`)).toMatchObject({ box_id: uuid(3), version: '4' })
      expect(await read(`/v1/things/${uuid(2)}`)).toMatchObject({ box_id: uuid(3), version: '1' })
      expect((await events(served)).slice(before)).toEqual([
        'things.created',
        'things.created',
        'boxes.created',
      ])
    })

    test('goes on after an interruption: every reference is set, and no form of a row shares a version', async () => {
      const count = 1_500
      // Each names the next, and the first one also the last.
      const chain = Array.from({ length: count }, (_, at) => ({
        '@resource': 'nodes',
        id: uuid(10_000 + at),
        name: `node ${at}`,
        parent_id: at + 1 < count ? uuid(10_001 + at) : null,
        other_id: at === 0 ? uuid(10_000 + count - 1) : null,
      }))
      const file = fileWith(chain)
      const what = await importOf(served, file)
      await expect(importing(interrupted(what))).rejects.toThrow('killed')
      const [first, lastDone] = [`/v1/nodes/${uuid(10_000)}`, `/v1/nodes/${uuid(10_999)}`]
      expect(await read(first)).toMatchObject({ parent_id: null, other_id: null, version: '0' })
      expect(await read(`/v1/nodes/${uuid(10_001)}`)).toMatchObject({
        parent_id: uuid(10_002),
        version: '1',
      })
      expect(await read(lastDone)).toMatchObject({ parent_id: null, version: '0' })
      expect(await importing(what)).toEqual([])
      expect(await read(first)).toMatchObject({
        parent_id: uuid(10_001),
        other_id: uuid(11_499),
        version: '1',
      })
      expect(await read(lastDone)).toMatchObject({ parent_id: uuid(11_000), version: '1' })
      const rows = await served.store.all('SELECT count(*) FROM "nodes" WHERE "parent_id" IS NULL', [])
      expect(Number(rows[0]?.[0])).toBe(1)
    })

    test('works across accounts: a row waits for one that all share', async () => {
      const file = fileWith([
        { '@resource': 'nodes', id: uuid(20), name: 'a', place_id: uuid(22), parent_id: uuid(21) },
        { '@resource': 'nodes', id: uuid(21), name: 'b' },
        { '@resource': 'places', id: uuid(22), name: 'here' },
      ])
      expect(await importing(await importOf(served, file))).toEqual([])
      expect(await read(`/v1/nodes/${uuid(20)}`)).toMatchObject({
        place_id: uuid(22),
        parent_id: uuid(21),
        version: '1',
      })
    })

    test('goes on from a line of a corrected file: rows without ids are not inserted twice', async () => {
      const lines = (grams: number) => [
        { '@resource': 'nodes', id: uuid(60), name: 'a', parent_id: uuid(64) },
        { '@resource': 'boxes', id: uuid(61), label: 'full' },
        { '@resource': 'boxes', id: uuid(62), label: 'stated', weight: 0 },
        { '@resource': 'things', grams: tooMuch, box_id: uuid(61) },
        { '@resource': 'things', grams, box_id: uuid(61) },
        { '@resource': 'nodes', id: uuid(64), name: 'b' },
      ]
      await expect(importing(await importOf(served, fileWith(lines(1))))).rejects.toThrow(
        /^rows\.jsonl:5: the store refuses this row: A value is too large .*\. The rows before it are imported\. .* import the file again with --from 5: lines before it are not imported twice\. Sums that the file says are corrected when an import of it ends\.$/,
      )
      expect(await read(`/v1/nodes/${uuid(60)}`)).toMatchObject({ parent_id: null, version: '0' })
      expect(await importing(await importOf(served, fileWith(lines(0))))).toMatchObject([
        { line: 1, detail: 'is that of a row that exists and differs in parent_id' },
      ])
      expect(await importing(await importOf(served, fileWith(lines(0)), 5))).toEqual([])
      const things = `SELECT count(*) FROM "things" WHERE "box_id" = '${uuid(61)}'`
      expect(Number((await served.store.first(things, []))?.[0])).toBe(2)
      expect(await read(`/v1/nodes/${uuid(60)}`)).toMatchObject({ parent_id: uuid(64), version: '1' })
    })

    test('sets what an interrupted one has left out: a client’s value stays, and a deleted row stays deleted', async () => {
      const [left, set, gone, last] = [uuid(70), uuid(71), uuid(72), uuid(74)]
      const node = (id: string, rest: Line = {}): Line => ({ '@resource': 'nodes', id, name: 'n', ...rest })
      const lines = [
        ...[left, set, gone].map((id) => node(id, { parent_id: last, other_id: last })),
        // Rows of an account and rows that all share are written in transactions of their own.
        { '@resource': 'places', id: uuid(73), name: 'p' },
        node(last),
      ]
      const what = await importOf(served, fileWith(lines))
      await expect(importing(interrupted(what))).rejects.toThrow('killed')
      expect(await read(`/v1/nodes/${left}`)).toMatchObject({ parent_id: null, other_id: null, version: '0' })
      const value = { body: { parent_id: left } }
      expect((await served.call('PATCH', `/v1/nodes/${set}`, value)).status).toBe(200)
      expect((await served.call('DELETE', `/v1/nodes/${gone}`)).status).toBe(204)
      expect(await importing(what)).toEqual([])
      const whole = { parent_id: last, other_id: last }
      expect(await read(`/v1/nodes/${left}`)).toMatchObject({ ...whole, version: '1' })
      expect(await read(`/v1/nodes/${set}`)).toMatchObject({ parent_id: left, other_id: last })
      expect((await served.get(`/v1/nodes/${gone}`)).status).toBe(404)
    })

    test('says which sum cannot be computed', async () => {
      const file = fileWith([
        { '@resource': 'boxes', id: uuid(40), label: 'fine', weight: 0 },
        { '@resource': 'boxes', id: uuid(41), label: 'full', weight: 5 },
        { '@resource': 'things', grams: tooMuch, box_id: uuid(41) },
        { '@resource': 'things', grams: tooMuch, box_id: uuid(41) },
      ])
      await expect(importing(await importOf(served, file))).rejects.toThrow(
        /^rows\.jsonl:2: the sum of this row cannot be computed: A value is too large/,
      )
    })

    test('is refused when the file or the store is no longer the same', async () => {
      const file = fileWith([{ '@resource': 'nodes', id: uuid(50), name: 'a' }])
      const what = await importOf(served, file)
      const checked = await checkFile(what, null)
      await served.store.session((session) => session.script(nextGeneration))
      await expect(new Importer(what, checked, null).run()).rejects.toThrow(/The store was migrated while/)
      expect((await served.get(`/v1/nodes/${uuid(50)}`)).status).toBe(404)
      const during = await importOf(served, file)
      const whole = await checkFile(during, null)
      const rename = (from: string, to: string) => `ALTER TABLE "nodes" RENAME COLUMN "${from}" TO "${to}"`
      await served.store.session(async (session) => {
        await session.script(rename('name', 'title'))
        await session.script(nextGeneration)
      })
      await expect(new Importer(during, whole, null).run()).rejects.toThrow(/The store was migrated while/)
      const known = {
        ...during,
        file: openSource(fileWith([{ '@resource': 'nodes', id: uuid(20), name: 'a' }]), 'a', refuse),
      }
      await expect(checkFile(known, null)).rejects.toThrow(/The store was migrated while/)
      await served.store.session((session) => session.script(rename('title', 'name')))
      const again = await importOf(served, file)
      appendFileSync(file, '{"@resource":"nodes","name":"b"}\n')
      await expect(checkFile(again, null)).rejects.toThrow(/^rows\.jsonl was changed while it was imported/)
    })
  },
  { declaration },
)
