// `npm test` runs this. Each test calls the API as a consumer would; rows are in a throwaway SQLite file.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isProblem } from 'nounkit/client'
import { testApi } from 'nounkit/testing'
import declaration from './api.ts'

const api = await testApi(declaration)
after(() => api.close())
// A typed client with a key of the account: it knows your nouns, their fields and what can be included.
const acme = await api.client('acme')

// This one holds whatever your nouns are: keep it.
test('every collection can be listed', async () => {
  const key = await api.key('acme')
  const get = (path: string) => api.fetch(path, { headers: { Authorization: `Bearer ${key}` } })
  const { data } = (await (await get('/v1')).json()) as { data: { collections: { [name: string]: string } } }
  for (const path of Object.values(data.collections)) assert.equal((await get(path)).status, 200, path)
})

// The others are about the nouns that the new project came with: write your own in their place.
test('a task belongs to a project', async () => {
  const project = await acme.projects.create({ name: 'Garden' })
  const task = await acme.projects.at(project).tasks.create({ title: 'Water the tomatoes' })
  assert.equal(task.status, 'open')
  const read = await acme.tasks.get(task.id, { include: ['project'] })
  assert.equal(read.project.name, 'Garden')
})

test('two projects cannot have the same name', async () => {
  await acme.projects.create({ name: 'House' })
  await assert.rejects(acme.projects.create({ name: 'House' }), (error) =>
    isProblem(error, 'unique-conflict'),
  )
})
