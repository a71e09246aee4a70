import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { type LanguageServer, languageServer } from '../support/language-server.ts'
import { root, typedFolder } from './typed-folder.ts'

const clinic = join(root, 'test/types/clinic')
let editor: LanguageServer

beforeAll(async () => {
  const folder = typedFolder(['api.ts'])
  cpSync(clinic, folder, { recursive: true })
  editor = await languageServer(folder, 'api.ts')
})

/** In the file, `written` is replaced by `typing`, which has a bar where the cursor stands. */
const offered = async (file: string, written: string, typing: string): Promise<readonly string[]> => {
  const before = readFileSync(join(clinic, file), 'utf8')
  expect(before.split(written)).toHaveLength(2)
  const text = before.replace(written, typing.replace('|', ''))
  const offset = before.indexOf(written) + typing.indexOf('|')
  return (await editor.completionsAt(file, text, offset)).toSorted()
}

const list = (names: string): readonly string[] => names.split(' ').toSorted()

test.each([
  [
    'fields to filter by',
    'owners.ts',
    "['email', 'created_at']",
    "['|']",
    'created_at email id name phone updated_at',
  ],
  [
    'fields that are unique together',
    'pets.ts',
    "['owner_id', 'name']",
    "['|']",
    'born_on name owner_id species weight',
  ],
  [
    'paths to include, two deep',
    'pets.ts',
    "'owner.invoices'",
    "'|'",
    'owner owner.invoices owner.pets visits',
  ],
  ['the owner', 'visits.ts', "owner: 'visit'", "owner: '|'", 'medicine visit'],
  [
    'fields with states, of the resource',
    'visits.ts',
    "{ status: ['planned', 'cancelled'] }",
    '{ | }',
    'status',
  ],
  [
    'states of the resource',
    'visits.ts',
    "['planned', 'cancelled'] }",
    "['|'] }",
    'cancelled closed open planned',
  ],
  ['relations to wait for', 'invoices.ts', "{ invoice: { status: ['draft'] } }", '{ | }', 'invoice'],
  ['fields with states, of a related resource', 'invoices.ts', "{ status: ['draft'] }", '{ | }', 'status'],
  ['states of a related resource', 'invoices.ts', "['draft'] }", "['|'] }", 'draft sent'],
  [
    // A promise is an object that a hook may return, too.
    'fields that a hook may set',
    'visits.ts',
    'return { number: planned.length + 1 }',
    'return { | }',
    'created_at diagnosis id number on pet_id status then total updated_at',
  ],
  [
    'resources to find in a hook',
    'visits.ts',
    "find('pets', visit.pet_id, {",
    "find('|', visit.pet_id, {",
    'owners pets treatments visits',
  ],
  [
    'fields to list by',
    'visits.ts',
    "{ pet_id: visit.pet_id, status: 'planned' }",
    '{ | }',
    'created_at diagnosis id number on pet_id status total updated_at',
  ],
  ['fields to sum', 'visits.ts', "sum(invoices, 'amount'", "sum(invoices, '|'", 'amount'],
  [
    'fields of a new row',
    'visits.ts',
    "create(invoices, { owner_id: owner?.id ?? '', amount: visit.total + open })",
    'create(invoices, { | })',
    'amount created_at id owner_id paid status updated_at',
  ],
  [
    'fields of a row that was found',
    'visits.ts',
    'pet?.name',
    'pet?.|',
    'born_on created_at id name owner_id species updated_at weight',
  ],
])('an editor offers %s', async (_, file, written, typing, names) => {
  expect(await offered(file, written, typing)).toEqual(list(names))
})
