// The whole API: its nouns and their rules. `npm run dev` serves it, `npm run check` reports mistakes.
import { api, belongsTo, hasMany, resource, states } from 'nounkit'
import { z } from 'zod'

// A resource is a plural noun. Every row also has an id, created_at and updated_at, and belongs to the account of the caller's key.
const projects = resource('projects', {
  fields: {
    name: z.string().min(1).max(200),
    // An optional field is null until it is set.
    notes: z.string().max(2000).optional(),
  },
  relations: { tasks: hasMany('tasks') },
  // Within an account, no two projects have the same name.
  unique: ['name'],
  // What callers may ask for: GET /v1/projects?sort=name&include=tasks
  sort: ['name', 'created_at'],
  include: ['tasks'],
})

const tasks = resource('tasks', {
  fields: {
    title: z.string().min(1).max(300),
    due: z.iso.date().optional(),
    // A new task is open. Moves that are not listed here are refused.
    status: states('open', { open: ['done'], done: ['open'] }),
  },
  // Adds the field project_id, and the collection /v1/projects/{id}/tasks. A resource that is declared further down is given by its name,
  // as tasks are above; give all others by themselves, so that the editor knows what they have.
  relations: { project: belongsTo(projects) },
  filter: ['status', 'project_id'],
  sort: ['due', 'created_at'],
  include: ['project'],
})

export default api('my-api', {
  resources: [projects, tasks],
  // Each account sees its own rows alone. For an app of one company or club, write accounts: 'one' and take the seed out.
  // `npm run dev` makes a key for the first of these accounts, and prints it.
  seed: { accounts: ['acme'] },
})
