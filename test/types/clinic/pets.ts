import { belongsTo, hasMany, immutable, resource } from 'nounkit'
import { z } from 'zod'
import { owners } from './owners.ts'

export const pets = resource('pets', {
  fields: {
    name: z.string().min(1).max(100),
    species: immutable(z.enum(['cat', 'dog', 'bird'])),
    born_on: z.iso.date().optional(),
    weight: z.int().min(1).optional(),
  },
  relations: { owner: belongsTo(owners), visits: hasMany('visits', { cap: 20 }) },
  unique: [['owner_id', 'name']],
  filter: ['species', 'owner_id'],
  sort: ['name', 'born_on'],
  include: ['owner', 'owner.invoices', 'visits', 'visits.treatments'],
  limits: { pageMax: 50 },
})
