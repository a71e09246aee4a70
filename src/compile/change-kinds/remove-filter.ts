import type { RemoveFilter } from '../../declare/change.ts'
import { offerAgain } from '../changes/offer-again.ts'
import { text } from '../shape/shapes.ts'
import type { ChangeKind } from './change-kind.ts'
import { code, ruleEntry } from './guide-entry.ts'
import { olderFieldName, olderName, olderView } from './step.ts'
import { fieldTraces } from './usage-traces.ts'

export const removeFilter: ChangeKind<RemoveFilter> = {
  parameters: ['resource', 'field'],
  options: {
    form: "removeFilter('books', 'isbn')",
    needs: { resource: text, field: text },
  },
  phase: 3,
  takeBack: (draft, change, report) => offerAgain(draft, change, 'filter', report),
  changesNothing: () => false,
  shownInContract: true,
  verdict: () => 'breaking',
  loss: () => 'two-way',
  line: ({ resource, field }) => ({ where: `${resource}.${field}`, what: 'filter removed' }),
  guideEntry: ({ resource, field }, step) =>
    ruleEntry(`${code(resource)} can no longer be filtered by ${code(field)}`, [
      [
        code(`GET /${step.older.name}/${olderName(step, resource)}?filter[${field}]=…`),
        'filter what you get',
      ],
    ]),
  newerFields: ({ field }) => [field],
  describedFields: () => [],
  stored: () => null,
  usage: ({ resource, field }, step) =>
    fieldTraces(olderView(step, resource), [olderFieldName(step, resource, field)], ['filter']),
}
