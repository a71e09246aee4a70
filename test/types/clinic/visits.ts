import { belongsTo, hasMany, needsScope, readOnly, resource, states, sum } from 'nounkit'
import { z } from 'zod'
import { invoices } from './invoices.ts'
import { medicines } from './medicines.ts'
import { pets } from './pets.ts'

export const visits = resource('visits', {
  fields: {
    on: z.iso.date(),
    number: readOnly(z.int().default(0)),
    diagnosis: needsScope('visits:medical', z.string().max(1000).optional()),
    status: states('planned', { planned: ['open', 'cancelled'], open: ['closed'] }),
    total: sum('treatments', ['quantity', 'price']),
  },
  relations: {
    pet: belongsTo(pets, { immutable: true }),
    treatments: hasMany('treatments'),
  },
  filter: ['status', 'pet_id', 'on'],
  sort: ['on', 'total'],
  include: ['pet', 'pet.owner', 'treatments', 'treatments.medicine'],
  methods: ['GET', 'POST', 'PATCH', 'DELETE'],
  idempotencyKey: 'required',
  deleteOnlyWhile: { status: ['planned', 'cancelled'] },
  problems: { 'too-many-visits': { status: 409, title: 'The pet has three planned visits' } },
  hooks: {
    async beforeCreate(visit, { find, list, reject }) {
      const pet = await find('pets', visit.pet_id, { lock: true })
      const planned = await list('visits', { pet_id: visit.pet_id, status: 'planned' })
      if (planned.length >= 3)
        reject({ code: 'too-many-visits', detail: `${pet?.name} has three planned visits.`, field: 'pet_id' })
      return { number: planned.length + 1 }
    },
    async afterUpdate(visit, before, { find, list, count, sum, create, update }) {
      if (visit.status !== 'closed' || before.status === 'closed') return
      const pet = await find('pets', visit.pet_id)
      const owner = await find('owners', pet?.owner_id ?? '')
      const [dearest] = await list(invoices, { amount: { gt: 0 } }, { orderBy: '-amount', limit: 1 })
      if ((await count('visits', { status: 'open' })) > 100 || (dearest?.amount ?? 0) > 1_000_000) return
      const open = await sum(invoices, 'amount', { owner_id: owner?.id ?? '', paid: false })
      await create(invoices, { owner_id: owner?.id ?? '', amount: visit.total + open })
      for (const treatment of await list('treatments', { visit_id: visit.id }))
        await update(medicines, String(treatment.medicine_id), { in_use: true })
    },
  },
})

export const treatments = resource('treatments', {
  owner: 'visit',
  fields: { quantity: z.int().min(1), price: z.int().min(0), note: z.string().max(200).optional() },
  relations: {
    visit: belongsTo('visits', { onTargetDelete: 'cascade' }),
    medicine: belongsTo(medicines, { optional: true }),
  },
  include: ['visit', 'visit.pet', 'medicine'],
  onlyWhile: { visit: { status: ['planned', 'open'] } },
})
