import { expect, test } from 'vitest'
import { positionAt } from '../../src/cli/mistake-places/code-frame.ts'
import { locateMistake } from '../../src/cli/mistake-places/locate-mistake.ts'

const files = new Map([
  [
    'api.ts',
    `import { api, version } from 'nounkit'
import { orders } from './orders.ts'
import { people } from './people.ts'
import { v1 } from './v1.ts'
export default api('shop', { resources: [orders, people], versions: [version('v2'), v1],
  limits: { pageMax: 0 },
  rate: slow })
const slow = { perSecond: 0 }
`,
  ],
  [
    'orders.ts',
    `// resource('people') is elsewhere
import { belongsTo, resource } from 'nounkit'
import { shared } from './fields.ts'
export const orders = resource("orders", {
  fields: { ...shared, code: z.string().regex(/['"}]/), total: z.int(),
    fee: decimal({ scale: 2, min: '0' }).default('0') },
  relations: { person: belongsTo('people') },
  include: ['person', 'persn', 'person.pets'],
  filter: ['person.nme'],
})
`,
  ],
  [
    'people.ts',
    `const named = (name: string, more: object) => resource(name, more)
export const people = named('people', { fields: fieldsOfPeople, 'sort': ['name'] })
const fieldsOfPeople = {
  name: z.string(),
  age: z.bigint(),
}
`,
  ],
  ['fields.ts', `export const shared = {\n  note: z.map(),\n}\n`],
  [
    'v1.ts',
    `export const v1 = version('v1', { changes: [\n  a('x'),\n  renameField('orders', 'sum', 'totl'),\n] })\n`,
  ],
])

test.each([
  ['orders.filter', '"person.nme": "nme" is not a field of people.', 'orders.ts:9:12'],
  ['orders.include', '"persn" is not a relation of orders.', 'orders.ts:8:23'],
  ['orders.include', '"person.pets": "pets" is not a relation of people.', 'orders.ts:8:32'],
  ['orders.fields.total', 'it is wrong.', 'orders.ts:5:57'],
  ['orders.fields.fee', 'its default "0" is not a value it allows.', 'orders.ts:6:50'],
  ['orders.fields.fee', '"0" is wrong.', 'orders.ts:6:35'],
  ['orders.fields.note', 'it is wrong.', 'fields.ts:2:3'],
  ['orders.relations.person', 'there is no resource "people".', 'orders.ts:7:34'],
  ['orders', '"includes" is not an option.', 'orders.ts:4:23'],
  ['people.fields.age', 'it is wrong.', 'people.ts:5:3'],
  ['people.sort', '"name" is wrong.', 'people.ts:2:74'],
  ['v1.changes[1] renameField', '"totl" is not a field of orders in v2.', 'v1.ts:3:32'],
  ['versions.v1.sunset', 'it is too early.', 'v1.ts:1:19'],
  ['limits.pageMax', '0 is too small.', 'api.ts:6:13'],
  ['rate.perSecond', '0 is not a rate.', 'api.ts:8:16'],
  ['resources[1]', 'this is not a resource.', 'people.ts:2:14'],
  ['api', 'it cannot be compiled.', 'api.ts:5:16'],
])('%s: %s is at %s', (where, what, place) => {
  const found = locateMistake({ where, what }, files, 'api.ts')
  const { line, column } = positionAt(files.get(found?.file ?? '') ?? '', found?.at ?? 0)
  expect(`${found?.file}:${line}:${column}`).toBe(place)
})
