import { usageReport } from '../lifecycle/usage-report.ts'
import { html } from '../pages/markup.ts'
import { usageSection } from '../pages/usage-section.ts'
import type { ConsolePage } from './console-page.ts'

/** `/console/consumers`: who calls what in which version, of the chosen account or of all. */
export const consumersPage: ConsolePage = {
  kind: 'page',
  path: '/console/consumers',
  inNavigation: 'Consumers',
  async get({ parts, account }) {
    const { store, model, clock } = parts
    const isSole = model.soleAccount !== null
    const report = await usageReport(store, model, clock.now(), { account: isSole ? null : account })
    return {
      title: 'Consumers',
      isWide: true,
      body: html`<h1>Consumers</h1>
${usageSection({ report, account: isSole ? null : account, blockers: new Map() }, !isSole)}`,
    }
  },
}
