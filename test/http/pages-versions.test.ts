import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import shop from '../../examples/shop/api.ts'
import type { Version } from '../../src/compile/model.ts'
import { timeline } from '../../src/pages/timeline.ts'
import type { TestApi } from '../../src/testing.ts'
import { shopContracts } from '../contract/openapi-shop.ts'
import { describeStores } from '../support/stores.ts'
import { testApi } from '../support/way-in.ts'

describeStores('pages of versions', (store) => {
  let api: TestApi

  beforeAll(async () => {
    const now = Date.parse('2026-08-01T12:00:00Z')
    api = await testApi(shop, {
      databaseUrl: await store.url(),
      contracts: await shopContracts(),
      clock: { now: () => now },
    })
  })
  afterAll(() => api.close())

  describe('the versions page', () => {
    it('shows when each version came and goes, and the way on, to everyone', async () => {
      const text = await (await api.fetch('/docs/versions')).text()
      expect(text).toMatch(
        /v1<\/a><\/td><td>deprecated<\/td>.*2025-01-15.*2026-06-01.*2026-12-31.*migrations\/v1-to-v2/s,
      )
      expect(text).toContain('v1: published 2025-01-15, deprecated 2026-06-01, sunset 2026-12-31.')
    })
  })

  describe('the time line', () => {
    const day = (date: string) => ({ date, seconds: Date.parse(`${date}T00:00:00Z`) / 1000 })
    const life = (name: string, dates: readonly (string | null)[], retiredAt: number | null = null) => {
      const [published, deprecated, sunset] = dates.map((date) => (date ? day(date) : null))
      return { version: { name, published, deprecated, sunset } as unknown as Version, retiredAt }
    }
    interface Box {
      readonly left: number
      readonly right: number
      readonly top: number
    }
    /** Boxes of all texts, with a width that a narrow sans serif does not exceed. */
    const boxes = (svg: string): Box[] => {
      const found: Box[] = []
      let shift = 0
      for (const [, group, x, y, anchor = 'start', text = ''] of svg.matchAll(
        /<g transform="translate\(0 (\d+)\)">|<text[^>]*? ?x="([\d.]+)" y="([\d.]+)"(?: text-anchor="(\w+)")?>([^<]+)<\/text>|<\/g>/g,
      )) {
        if (group !== undefined) shift = Number(group)
        if (x === undefined) continue
        const width = text.length * 6.2
        const left = Number(x) - (anchor === 'end' ? width : anchor === 'middle' ? width / 2 : 0)
        found.push({
          left,
          right: left + width,
          top: Number(y) + (text === 'today' || /^\d{4}$/.test(text) ? 0 : shift),
        })
      }
      return found
    }

    it.each([
      [
        'far apart',
        [life('v2', ['2026-06-01', null, null]), life('v1', ['2025-01-15', '2026-06-01', '2026-12-31'])],
      ],
      [
        'days apart',
        [
          life('v2', ['2026-06-01', '2026-06-02', '2026-06-03']),
          life('v1', ['2010-01-01', '2026-06-01', '2026-06-02']),
        ],
      ],
      [
        'retired at its sunset',
        [life('v1', ['2025-01-15', '2025-06-01', '2025-12-31'], Date.parse('2026-01-01'))],
      ],
      ['without dates', [life('v1', [null, null, null])]],
    ])('keeps its labels apart when dates are %s', (_, lives) => {
      const all = boxes(timeline(lives, Date.parse('2026-06-02T00:00:00Z')).text)
      expect(all.length).toBeGreaterThan(1)
      for (const [index, one] of all.entries())
        for (const other of all.slice(index + 1)) {
          const apart =
            one.right <= other.left || other.right <= one.left || Math.abs(one.top - other.top) >= 12
          expect(apart, JSON.stringify([one, other])).toBe(true)
        }
      for (const { left, right } of all) expect(left >= 0 && right <= 760).toBe(true)
    })
  })
})
