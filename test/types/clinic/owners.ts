import { hasMany, resource } from 'nounkit'
import { z } from 'zod'

export const owners = resource('owners', {
  description: 'People who bring their pets.',
  fields: {
    name: z.string().min(1).max(100),
    email: z.email(),
    phone: z.string().max(40).optional(),
  },
  relations: { pets: hasMany('pets'), invoices: hasMany('invoices') },
  unique: ['email'],
  filter: ['email', 'created_at'],
  sort: ['name', 'created_at'],
  include: ['pets', 'pets.visits', 'invoices'],
})
