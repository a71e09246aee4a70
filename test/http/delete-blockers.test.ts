import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { api } from '../../src/declare/api.ts'
import { renameResource } from '../../src/declare/change.ts'
import { belongsTo } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { storeForms } from '../support/databases.ts'
import { describeServing } from '../support/serving.ts'

/** Folders are deleted with their parent folder, sheets with their folder; loans and stamps block the delete of a sheet. */
const folders = resource('folders', {
  fields: { name: z.string().max(20) },
  relations: { parent: belongsTo('folders', { optional: true, onTargetDelete: 'cascade' }) },
})
const sheets = resource('sheets', {
  fields: {},
  relations: { folder: belongsTo('folders', { onTargetDelete: 'cascade' }) },
})
const loans = resource('loans', { fields: {}, relations: { sheet: belongsTo('sheets') } })
const stamps = resource('stamps', { fields: {}, relations: { sheet: belongsTo('sheets') } })
/** Blocks the delete of its sheet, but is deleted with the folder itself. */
const labels = resource('labels', {
  fields: {},
  relations: {
    sheet: belongsTo('sheets'),
    folder: belongsTo('folders', { onTargetDelete: 'cascade' }),
  },
})
const declaration = api('archive', {
  resources: [folders, sheets, loans, stamps, labels],
  versions: [
    version('v2'),
    version('v1', { changes: [renameResource('lendings', 'loans', { why: 'One word.' })] }),
  ],
})

/** As if v1 had been published before there were stamps. */
const published = compileApi(
  api('archive', {
    resources: [
      folders,
      sheets,
      resource('lendings', { fields: {}, relations: { sheet: belongsTo('sheets') } }),
    ],
  }),
)
const contracts = new Map([['v1', contractOf(published, published.head)]])

describeServing(
  'a delete that takes other rows along',
  (served) => {
    const folder = (parent_id: string | null = null) => served.make('/v2/folders', { name: 'f', parent_id })
    const sheetIn = (folder_id: string) => served.make('/v2/sheets', { folder_id })
    const remove = (id: string, version = 'v2') => served.call('DELETE', `/${version}/folders/${id}`)

    test('is refused by rows that name one of those, and tells of which resource they are', async () => {
      const { id } = await folder()
      await sheetIn(id)
      const loan = await served.make('/v2/loans', { sheet_id: (await sheetIn(id)).id })
      const refused = await remove(id)
      expect(refused.refusal).toEqual([409, 'still-referenced'])
      expect(refused.problem.referenced_by).toEqual(['loans'])
      expect(refused.problem.detail).toBe(
        'Rows of loans still point to rows that would be deleted along with it.',
      )
      expect((await served.get(`/v2/folders/${id}`)).status).toBe(200)
      expect((await served.call('DELETE', `/v2/loans/${loan.id}`)).status).toBe(204)
      expect((await remove(id)).status).toBe(204)
    })

    test('names them as the called version does, each resource once, and none that it hides', async () => {
      const { id } = await folder()
      for (const path of ['loans', 'loans', 'stamps'])
        await served.make(`/v2/${path}`, { sheet_id: (await sheetIn(id)).id })
      expect((await remove(id)).problem.referenced_by).toEqual(['loans', 'stamps'])
      expect((await remove(id, 'v1')).problem.referenced_by).toEqual(['lendings'])
    })

    test('does not name rows that would be deleted along themselves', async () => {
      const { id } = await folder()
      const sheet = await sheetIn(id)
      await served.make('/v2/labels', { sheet_id: sheet.id, folder_id: id })
      const loan = await served.make('/v2/loans', { sheet_id: sheet.id })
      expect((await remove(id)).problem.referenced_by).toEqual(['loans'])
      const elsewhere = await served.make('/v2/labels', {
        sheet_id: sheet.id,
        folder_id: (await folder()).id,
      })
      expect((await remove(id)).problem.referenced_by).toEqual(['loans', 'labels'])
      for (const path of [`loans/${loan.id}`, `labels/${elsewhere.id}`])
        expect((await served.call('DELETE', `/v2/${path}`)).status).toBe(204)
      expect((await remove(id)).status).toBe(204)
    })

    test('finds them however deep they lie, and where rows go round in a circle', async () => {
      const top = await folder()
      let deepest = top
      for (let depth = 0; depth < 5; depth++) deepest = await folder(deepest.id)
      await served.call('PATCH', `/v2/folders/${top.id}`, { body: { parent_id: deepest.id } })
      await served.make('/v2/stamps', { sheet_id: (await sheetIn(deepest.id)).id })
      expect((await remove(top.id)).problem.referenced_by).toEqual(['stamps'])
    })

    test('finds nothing of another account', async () => {
      const mine = await folder()
      const theirs = await served.make('/v2/folders', { name: 'g' }, { as: 'globex' })
      const sheet = await served.make('/v2/sheets', { folder_id: theirs.id }, { as: 'globex' })
      await served.make('/v2/stamps', { sheet_id: sheet.id }, { as: 'globex' })
      expect((await remove(mine.id)).status).toBe(204)
      expect((await remove(theirs.id)).status).toBe(404)
    })
  },
  { declaration, contracts },
  storeForms,
)
