import type { ConsolePage } from './console-page.ts'

/** `/console` leads to the first page. */
export const startPage: ConsolePage = {
  kind: 'page',
  path: '/console',
  get: () => ({ goTo: '/console/today' }),
}
