import type { LiveBody, PlainRequest } from '../call/exchange.ts'
import type { Clock } from '../clock.ts'
import type { Maybe } from '../maybe.ts'
import type { Markup } from '../pages/markup.ts'
import type { ReplicaState } from '../store/postgres/read-replicas.ts'
import type { Store } from '../store/store.ts'
import type { AccountWork } from './accounts/account-work.ts'
import type { AskedEngine, Asking, EngineAnswer } from './ask-engine.ts'
import type { SignInLimit } from './operators/sign-in-limit.ts'
import type { RecordAct } from './record-act.ts'
import type { RecentRequests } from './requests/recent-requests.ts'
import type { ProcessFigures } from './today/process-figures.ts'

/** What the engine gives the console. A part of it that a page needs is a member here, which `serve/open-operations.ts` fills in. */
export interface ConsoleSources extends AskedEngine {
  readonly store: Store
  readonly clock: Clock
  readonly report: (error: unknown, request: PlainRequest) => void
  readonly recordAct: RecordAct
  readonly accountWork: AccountWork
  readonly recentRequests: RecentRequests
  readonly figures: ProcessFigures
  /** The standbys that answer reads, and how they are. */
  readonly replicas: () => readonly ReplicaState[]
  /** `nounkit dev`: who comes from this machine is signed in. */
  readonly isDevelopment: boolean
}

/** What all pages are made from. */
export interface ConsoleParts extends ConsoleSources {
  readonly signIns: SignInLimit
}

/** A page, or one that is not for all to see: what the layout puts into its frame. */
export interface ShownPage {
  readonly title: string
  readonly body: Markup
  /** 200 unless said. */
  readonly status?: number
  /** Uses the whole width, for tables. */
  readonly isWide?: boolean
  readonly headers?: { readonly [name: string]: string }
}

/** After a POST: the browser gets another page. A path below `/console`, with its query. */
export interface GoTo {
  readonly goTo: string
  readonly headers?: { readonly [name: string]: string }
}

/** After a POST: a file for the browser to keep. */
export interface Download {
  /** The name of the file. */
  readonly download: string
  readonly type: string
  readonly live: LiveBody
}

/** What a page knows of a request. */
export interface PageEntry {
  readonly parts: ConsoleParts
  readonly request: PlainRequest
  readonly query: URLSearchParams
  /** The parts of the path that the page's path names. */
  readonly params: { readonly [name: string]: string }
}

/** A request within a session. */
export interface Visit extends PageEntry {
  /** Who is signed in. */
  readonly operator: string
  /** The account that was chosen, which is in the query of each URL; null where none was. */
  readonly account: string | null
  /** Asks the engine as the operator, in the chosen account. */
  ask(asking: Asking): Promise<EngineAnswer>
  /** The URL of a page, with the chosen account. */
  link(path: string, query?: { readonly [name: string]: string | null }): string
  /** A form that is posted, with the session's token. Every form that is posted is made by this. */
  form(action: string, content: Markup): Markup
}

/** A form that was posted. */
export type PostedForm = URLSearchParams

export interface ConsolePage {
  readonly kind: 'page'
  /** `/console/data/{resource}/{id}` */
  readonly path: string
  /** Where the navigation has it; else the page lights up the entry whose path its own begins with. */
  readonly inNavigation?: string
  get?(visit: Visit): Maybe<ShownPage | GoTo>
  post?(visit: Visit, form: PostedForm): Maybe<ShownPage | GoTo | Download>
}

/** A page for who is not signed in. There are as few as can be: each stands in a list in test/console/sessions.test.ts. */
export interface OpenPage {
  readonly kind: 'open'
  readonly path: string
  get(entry: PageEntry): Maybe<ShownPage>
  post(entry: PageEntry, form: PostedForm): Maybe<ShownPage | GoTo>
}
