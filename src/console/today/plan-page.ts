import { html, type Markup } from '../../pages/markup.ts'
import type { ConsolePage, ShownPage, Visit } from '../console-page.ts'
import { noSuchPage } from '../console-refusal.ts'
import { explainStatement } from './explain-statement.ts'
import { statementId, todayPath } from './statement-table.ts'

/** `/console/today/plan?statement=…`: how the database would run one of the slowest statements. */
export const planPage: ConsolePage = {
  kind: 'page',
  path: `${todayPath}/plan`,
  get: shownPlan,
}

async function shownPlan({ parts, query, link }: Visit): Promise<ShownPage> {
  const wanted = query.get('statement') ?? ''
  const text = await textOf(parts, wanted)
  if (text === null) throw noSuchPage()
  const plan = await explainStatement(parts.store, text)
  return {
    title: 'Plan',
    body: html`<p class="crumbs"><a href="${link(todayPath)}">Today</a></p>
<h1>How the database runs it</h1>
<p>The plan for any values, as the database would choose it now. The statement was not run for this.</p>
${planText(plan)}
<h2>The statement</h2>
<pre tabindex="0" class="wrapped"><code>${text}</code></pre>`,
  }
}

const planText = (plan: readonly string[] | string): Markup => {
  if (typeof plan === 'string') return html`<p class="notice">The database gave no plan: ${plan}</p>`
  if (plan.length === 0)
    return html`<p class="none">It looks for no rows, so that there is nothing to plan.</p>`
  return html`<pre tabindex="0"><code>${plan.join('\n')}</code></pre>`
}

/** Only texts that processes of this store have sent: no request brings one. */
async function textOf({ figures }: Visit['parts'], wanted: string): Promise<string | null> {
  const found = figures.statement((text) => statementId(text) === wanted)
  if (found !== null) return found
  for (const { statements } of await figures.others())
    for (const { text } of statements) if (statementId(text) === wanted) return text
  return null
}
