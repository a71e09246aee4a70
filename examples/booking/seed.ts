/** The rooms of an empty store. */
export const seed = {
  account: () => [
    room('0198e7b5-2c00-7000-8000-000000000001', 'Library', 8),
    room('0198e7b5-2c00-7000-8000-000000000002', 'Studio', 4),
    room('0198e7b5-2c00-7000-8000-000000000003', 'Workshop', 20),
  ],
}

const at = '2025-08-26T08:00:00.000Z'

const room = (id: string, name: string, seats: number) => ({
  resource: 'rooms',
  values: { id, name, seats, created_at: at, updated_at: at },
})
