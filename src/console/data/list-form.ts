import { html, type Markup } from '../../pages/markup.ts'
import type { Visit } from '../console-page.ts'
import { type DataPlace, dataUrl } from './data-place.ts'
import { kindOnPage } from './kind-on-page.ts'
import { type FormFilter, filtersOf } from './list-query.ts'

const words: { readonly [operator: string]: string } = {
  eq: 'is',
  ne: 'is not',
  in: 'is one of',
  gt: '>',
  gte: '≥',
  lt: '<',
  lte: '≤',
}

/** The form above a list: what is declared, and nothing else. */
export const listForm = (visit: Visit, place: DataPlace): Markup => {
  const { view } = place
  const { query, account, parts } = visit
  const filters = filtersOf(view, query)
  const isUsed = filters.some(({ value }) => value !== '') || query.has('include') || query.has('sort')
  const hasMore = filters.length > 0 || view.sorts.size > 0 || view.includePaths.length > 0 || view.counted
  return html`<form class="asking" method="get" action="${dataUrl('list', place)}">
${parts.model.soleAccount === null && html`<input type="hidden" name="account" value="${account}">`}
${
  view.searched.size > 0 &&
  html`<div class="row"><label for="search">Search</label>
<input id="search" name="search" type="search" value="${query.get('search') ?? ''}" placeholder="${[...view.searched].join(', ')}"><button>Search</button></div>`
}
${
  hasMore &&
  html`<details${isUsed && html` open`}><summary>Filter, sort, include</summary>
<div class="fields">
${filters.map(filterField)}
${view.sorts.size > 0 && sortField([...view.sorts], query.get('sort') ?? '')}
<div class="field"><label for="limit">Rows on a page</label><input id="limit" name="limit" inputmode="numeric" value="${query.get('limit') ?? ''}" placeholder="${view.limits.pageDefault}" maxlength="4"></div>
</div>
${view.includePaths.length > 0 && includeField(view.includePaths, query.getAll('include'))}
${view.counted && html`<p class="check"><label><input type="checkbox" name="count" value="true"${query.get('count') === 'true' && html` checked`}> Count the rows</label></p>`}
<button>Show</button> <a href="${visit.link(dataUrl('list', place))}">Begin anew</a>
</details>`
}
</form>`
}

const filterField = ({ name, target, operators, operator, value }: FormFilter): Markup => {
  const { kind, schema } = target.field
  const listed = kindOnPage[kind].choices(schema) ?? []
  const id = `value.${name}`
  return html`<div class="field"><label for="${id}">${name}</label>
<span class="pair"><select name="is.${name}" aria-label="How ${name} compares">${operators.map((one) => option(one, words[one] ?? one, one === operator))}</select>
<input id="${id}" name="${id}" value="${value}" autocomplete="off"${listed.length > 0 && html` list="values.${name}"`}></span>
${listed.length > 0 && html`<datalist id="values.${name}">${listed.map((one) => html`<option value="${one}"></option>`)}</datalist>`}</div>`
}

const sortField = (sorts: readonly string[], asked: string): Markup =>
  html`<div class="field"><label for="sort">Sort by</label><select id="sort" name="sort">${option('', 'as declared', asked === '')}${sorts.map(
    (name) =>
      html`${option(name, `${name}, ascending`, asked === name)}${option(`-${name}`, `${name}, descending`, asked === `-${name}`)}`,
  )}</select></div>`

const includeField = (paths: readonly string[], asked: readonly string[]): Markup =>
  html`<fieldset class="check"><legend>Include</legend>${paths.map(
    (path) =>
      html`<label><input type="checkbox" name="include" value="${path}"${asked.includes(path) && html` checked`}> ${path}</label> `,
  )}</fieldset>`

const option = (value: string, label: string, isChosen: boolean): Markup =>
  html`<option value="${value}"${isChosen && html` selected`}>${label}</option>`
