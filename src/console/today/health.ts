import { html, type Markup } from '../../pages/markup.ts'
import { readyInTime } from '../../store/ready-in-time.ts'
import type { NodeState } from '../../store/store.ts'
import type { ConsoleParts } from '../console-page.ts'
import { milliseconds } from './figures-shown.ts'

interface Answered {
  readonly ms: number
  readonly nodes: readonly NodeState[]
}

/** Whether the store takes reads and writes, its nodes, and its standbys. */
export const storeHealth = async ({ store, replicas }: ConsoleParts): Promise<Markup> => {
  const answered = await askStore(store)
  const standbys = replicas()
  return html`<ul class="states">${storeState(answered)}
${answered?.nodes.map(({ node, isReady }) => state(isReady, html`Node <b>${node}</b>`, isReady ? 'answers' : 'does not answer'))}
${standbys.map(({ host, behindMs, isAsked }) => state(isAsked, html`Replica <b>${host}</b>`, behindMs === null ? 'does not answer' : `${milliseconds(behindMs)} behind${isAsked ? '' : ', too far to be asked'}`))}</ul>`
}

const storeState = (answered: Answered | null): Markup =>
  state(
    answered !== null,
    html`The store`,
    answered ? `answered in ${milliseconds(answered.ms)}` : 'does not answer, or takes no writes',
  )

/** A picture and words: neither stands for itself. */
const state = (isWell: boolean, what: Markup, words: string): Markup =>
  html`<li class="${isWell ? 'well' : 'ill'}"><svg class="mark" aria-hidden="true" viewBox="0 0 16 16" width="16" height="16">${isWell ? html`<circle cx="8" cy="8" r="7"/><path d="M4.5 8.2L7 10.7L11.5 5.7"/>` : html`<path class="sign" d="M8 1L15.5 14.5H0.5Z"/><path d="M8 6V10M8 11.6V12.6"/>`}</svg> ${what} ${words}</li>`

const askStore = async (store: ConsoleParts['store']): Promise<Answered | null> => {
  const begunAt = performance.now()
  const nodes = await readyInTime(store)
  return nodes && { nodes, ms: performance.now() - begunAt }
}
