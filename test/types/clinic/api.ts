import { api, version } from 'nounkit'
import { invoices, invoiceTotals, lines } from './invoices.ts'
import { medicines } from './medicines.ts'
import { owners } from './owners.ts'
import { pets } from './pets.ts'
import { v1 } from './v1.ts'
import { treatments, visits } from './visits.ts'

export default api('clinic', {
  title: 'The clinic',
  resources: [owners, pets, visits, treatments, medicines, invoices, lines, invoiceTotals],
  scopes: { 'visits:medical': 'See what a pet has.' },
  versions: [version('v2'), v1],
  unversioned: 'v2',
  rate: { perSecond: 50 },
  events: { keepDays: 30 },
})
