// `npm test` runs this. Each test calls the API as a consumer would; rows are in a throwaway SQLite file.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testApi } from 'nounkit/testing'
import declaration from './api.ts'

const api = await testApi(declaration)
after(() => api.close())
const key = await api.key('acme')

const call = async (method: string, path: string, body?: object) => {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const response = await api.fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return { status: response.status, body: (await response.json()) as { type?: string; data: Row } }
}
type Row = { id: string; status: string; project: { name: string }; collections: { [name: string]: string } }

const { collections } = (await call('GET', '/v1')).body.data

// This one holds whatever your nouns are: keep it.
test('every collection can be listed', async () => {
  for (const path of Object.values(collections)) assert.equal((await call('GET', path)).status, 200, path)
})

// The others are about the nouns that the new project came with. Once you have replaced these, the tests are skipped: write your own in
// their place.
const skip = 'projects' in collections && 'tasks' in collections ? false : 'projects and tasks are gone'

test('a task belongs to a project', { skip }, async () => {
  const project = await call('POST', '/v1/projects', { name: 'Garden' })
  assert.equal(project.status, 201)
  const task = await call('POST', `/v1/projects/${project.body.data.id}/tasks`, {
    title: 'Water the tomatoes',
  })
  assert.equal(task.body.data.status, 'open')
  const read = await call('GET', `/v1/tasks/${task.body.data.id}?include=project`)
  assert.equal(read.body.data.project.name, 'Garden')
})

test('two projects cannot have the same name', { skip }, async () => {
  await call('POST', '/v1/projects', { name: 'House' })
  const second = await call('POST', '/v1/projects', { name: 'House' })
  assert.equal(second.status, 409)
  assert.equal(second.body.type, '/problems/unique-conflict')
})
