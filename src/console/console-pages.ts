import { accountPages } from './accounts/account-pages.ts'
import type { ConsolePage, OpenPage } from './console-page.ts'
import { consumerPage } from './consumers/consumer-page.ts'
import { consumersPage } from './consumers/consumers-page.ts'
import { accountsPage } from './data/accounts-page.ts'
import { deletePages } from './data/delete-page.ts'
import { editPages } from './data/edit-page.ts'
import { listPages } from './data/list-page.ts'
import { newPages } from './data/new-page.ts'
import { rowPages } from './data/row-page.ts'
import { jobsPages } from './jobs-page.ts'
import { keyActPages } from './keys/key-act-pages.ts'
import { keysPage } from './keys/keys-page.ts'
import { mePage } from './me-page.ts'
import { requestsPage } from './requests/requests-page.ts'
import { signInPage } from './sign-in-page.ts'
import { signOutPage } from './sign-out-page.ts'
import { startPage } from './start-page.ts'
import { planPage } from './today/plan-page.ts'
import { todayPage } from './today/today-page.ts'
import { retirementPages } from './versions/retirement-pages.ts'
import { versionListPage } from './versions/version-list-page.ts'
import { versionPage } from './versions/version-page.ts'
import { webhooksPages } from './webhooks/webhooks-pages.ts'
import { welcomePage } from './welcome-page.ts'

/** All pages, in the order of the navigation. A page that is not here has no address; one that is here is behind the gate, unless it is open. */
export const consolePages: readonly (ConsolePage | OpenPage)[] = [
  signInPage,
  welcomePage,
  signOutPage,
  startPage,
  todayPage,
  planPage,
  accountsPage,
  ...listPages,
  ...rowPages,
  ...newPages,
  ...editPages,
  ...deletePages,
  requestsPage,
  consumersPage,
  consumerPage,
  keysPage,
  ...keyActPages,
  ...webhooksPages,
  ...jobsPages,
  versionListPage,
  versionPage,
  ...retirementPages,
  ...accountPages,
  mePage,
]
