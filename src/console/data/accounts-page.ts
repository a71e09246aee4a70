import { html } from '../../pages/markup.ts'
import { chooseAccount } from '../choose-account.ts'
import type { ConsolePage, ShownPage, Visit } from '../console-page.ts'

export const dataPath = '/console/data'

/** `/console/data`: the accounts, or the resources of the account that was chosen. */
export const accountsPage: ConsolePage = {
  kind: 'page',
  path: dataPath,
  inNavigation: 'Data',
  get: (visit) => (visit.account === null ? chooseAccount(visit, 'Data', dataPath) : resourceList(visit)),
}

const resourceList = ({ parts, link }: Visit): ShownPage => {
  const views = [...parts.model.head.views.values()].filter(
    (view) => view.serves === 'rows' && view.topLevel && view.reads.list,
  )
  return {
    title: 'Data',
    body: html`<h1>Data</h1>
<ul class="tiles">${views.map((view) => html`<li><b><a href="${link(`${dataPath}/list/${view.name}`)}">${view.name}</a></b>${view.resource.shared && html` <small>of all accounts</small>`}<p>${view.description}</p></li>`)}</ul>`,
  }
}
