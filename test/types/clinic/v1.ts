import { addRequiredField, mapValues, renameField, renameRelation, renameResource, version } from 'nounkit'

export const v1 = version('v1', {
  changes: [
    renameResource('clients', 'owners'),
    renameRelation('pets', 'client', 'owner'),
    renameField('owners', 'full_name', 'name'),
    mapValues(
      'visits',
      'status',
      { done: 'closed' },
      { onlyInNewer: { cancelled: 'planned' }, why: 'Rare.' },
    ),
    addRequiredField('medicines', 'unit', { whenAbsent: 'piece', why: 'Units differ.' }),
  ],
})
