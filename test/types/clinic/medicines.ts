import { resource } from 'nounkit'
import { z } from 'zod'

export const medicines = resource('medicines', {
  shared: true,
  fields: {
    label: z.string().min(1).max(100),
    unit: z.enum(['ml', 'mg', 'piece']),
    in_use: z.boolean().default(false),
  },
  unique: ['label'],
  filter: ['unit'],
  sort: ['label'],
  scopes: { read: 'authenticated', write: 'medicines:write' },
})
