import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

/** A browser session that also records errors and requests to other hosts. */
export interface Visitor {
  readonly page: Page
  readonly faults: readonly string[]
  open(path: string): Promise<void>
  /** How many pixels the page is wider than its window. */
  overhang(): Promise<number>
  /** Violations of accessibility with a serious or critical impact: on the page or in a part of it, of all rules of axe or of some. */
  barriers(looked?: {
    readonly within?: string
    readonly rules?: readonly string[]
  }): Promise<readonly string[]>
  leave(): Promise<void>
}

export const visit = async (
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<Visitor> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  const faults: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`) && !/^(about|data|blob):/.test(url)) faults.push(`request: ${url}`)
  })
  return {
    page,
    faults,
    async open(path) {
      await page.goto(`${origin}${path}`)
    },
    overhang: () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'),
    async barriers({ within = 'html', rules } = {}) {
      await page.evaluate(stillness)
      await page.evaluate(axe.source)
      const options = JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) })
      const found = await page.evaluate<AxeResult>(`axe.run('${within}', ${options})`)
      const grave = found.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
      return grave.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
    },
    leave: () => context.close(),
  }
}

/** Elements that are still fading in do not have their final colours. */
const stillness = `(async () => {
  const ends = (one) => one.playState === 'running' && Number.isFinite(one.effect?.getComputedTiming().endTime)
  const passing = () => document.getAnimations().filter(ends)
  for (let left = passing(); left.length > 0; left = passing()) await Promise.allSettled(left.map((one) => one.finished))
})()`

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly impact: string
    readonly nodes: readonly { readonly html: string }[]
  }[]
}
