import type { View } from '../../compile/model.ts'
import { html, type Markup } from '../../pages/markup.ts'

/** Says where a rule may keep rows from an operator, who asks as a caller like any other. */
export const ruleNotice = ({ name, resource }: View): Markup | false =>
  resource.rules.read !== null &&
  html`<p class="legend">A rule decides who sees which ${name}. You ask with all scopes, but without a subject and without claims: rows that the rule keeps from such a caller are not shown here.</p>`
