import { expect, test } from 'vitest'
import { z } from 'zod'
import { api, belongsTo, hasMany, resource, sum } from '../../src/index.ts'
import { changeRows } from '../../src/write/change-rows.ts'
import type { ChangeSet } from '../../src/write/change-set.ts'
import { newRow } from '../../src/write/new-row.ts'
import { byNobody } from '../support/by-nobody.ts'
import { describeServing, type Serving } from '../support/serving.ts'

const projects = resource('projects', {
  fields: { name: z.string() },
  relations: { tasks: hasMany('tasks') },
})
const people = resource('people', {
  nameIsPluralBecause: 'an irregular plural',
  fields: { name: z.string(), hours: sum('tasks', 'hours') },
  relations: { tasks: hasMany('tasks') },
})
const tasks = resource('tasks', {
  fields: { hours: z.int(), title: z.string().default('') },
  relations: {
    project: belongsTo('projects', { onTargetDelete: 'cascade' }),
    person: belongsTo('people'),
    notes: hasMany('notes'),
  },
})
const notes = resource('notes', {
  fields: { text: z.string() },
  relations: {
    task: belongsTo('tasks', { onTargetDelete: 'cascade' }),
    parent: belongsTo('notes', { optional: true, onTargetDelete: 'cascade' }),
  },
})
const declaration = api('work', { resources: [projects, people, tasks, notes] })

const changed = (served: Serving, work: (changes: ChangeSet) => Promise<unknown>) =>
  changeRows(served.api.service.engine.writer, byNobody('acme'), async (changes) => {
    await work(changes)
    return changes.changes.map(({ resource: of, id, before, after }) => ({ of: of.name, id, before, after }))
  })

const modelOf = (served: Serving, name: string) => {
  const found = served.api.service.model.resources.get(name)
  if (!found) throw new Error(`no ${name}`)
  return found
}

describeServing(
  'a change set',
  (served) => {
    const setUp = async () => {
      const project = await served.make('/v1/projects', { name: 'Mill' })
      const person = await served.make('/v1/people', { name: 'Ada' })
      const other = await served.make('/v1/people', { name: 'Bob' })
      const task = await served.make('/v1/tasks', { hours: 5, project_id: project.id, person_id: person.id })
      return { project, person, other, task }
    }

    test('says what an insert changed: the new row, and the sum on its owner', async () => {
      const { project, person } = await setUp()
      const all = await changed(served, (changes) =>
        changes.insert(
          modelOf(served, 'tasks'),
          newRow(modelOf(served, 'tasks'), { hours: 2, project_id: project.id, person_id: person.id }, 0),
        ),
      )
      expect(all.map(({ of, before, after }) => [of, before?.hours ?? null, after?.hours])).toEqual([
        ['tasks', null, 2],
        ['people', 5, 7],
      ])
      expect((await served.get(`/v1/people/${person.id}`)).data.hours).toBe(7)
    })

    test('says what an update changed: the sums of both owners, and each row once', async () => {
      const { person, other, task } = await setUp()
      const all = await changed(served, async (changes) => {
        await changes.lock(modelOf(served, 'tasks'), task.id, 'to-change')
        await changes.update(modelOf(served, 'tasks'), task.id, { hours: 6 })
        await changes.update(modelOf(served, 'tasks'), task.id, { person_id: other.id })
      })
      const hours = new Map(all.map(({ id, before, after }) => [id, [before?.hours, after?.hours]]))
      expect([...hours]).toEqual([
        [task.id, [5, 6]],
        [person.id, [5, 0]],
        [other.id, [0, 6]],
      ])
    })

    test('says which rows were deleted along, at every depth, and the sums they fed', async () => {
      const { project, person, task } = await setUp()
      const note = await served.make('/v1/notes', { text: 'a', task_id: task.id })
      const reply = await served.make('/v1/notes', { text: 'b', task_id: task.id, parent_id: note.id })
      const all = await changed(served, async (changes) => {
        await changes.lock(modelOf(served, 'projects'), project.id, 'to-delete')
        await changes.remove(modelOf(served, 'projects'), project.id)
      })
      expect(all.filter(({ after }) => after === null).map(({ id }) => id)).toEqual([
        project.id,
        task.id,
        note.id,
        reply.id,
      ])
      expect(all.find(({ id }) => id === person.id)?.after?.hours).toBe(0)
      expect(all).toHaveLength(5)
    })

    test('says nothing of a row that was inserted and deleted', async () => {
      const all = await changed(served, async (changes) => {
        const of = modelOf(served, 'projects')
        const { row } = await changes.insert(of, newRow(of, { name: 'brief' }, 0))
        await changes.remove(of, String(row.id))
      })
      expect(all).toEqual([])
    })

    test('refuses to change a row that was not locked', async () => {
      const { project } = await setUp()
      await expect(
        changed(served, (changes) => changes.update(modelOf(served, 'projects'), project.id, { name: 'x' })),
      ).rejects.toThrow('not locked')
    })

    test('a DELETE refreshes the sums that the rows deleted along have fed', async () => {
      const { project, person } = await setUp()
      expect((await served.get(`/v1/people/${person.id}`)).data.hours).toBe(5)
      expect((await served.call('DELETE', `/v1/projects/${project.id}`)).status).toBe(204)
      expect((await served.get(`/v1/people/${person.id}`)).data.hours).toBe(0)
    })
  },
  { declaration },
)
