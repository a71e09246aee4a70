import { expect, test } from 'vitest'
import { describeServing } from '../support/serving.ts'

describeServing('pages for programs that read', (served) => {
  const text = async (path: string, accept = 'text/markdown') => {
    const answer = await served.get(path, { as: null, headers: { accept } })
    expect(answer.status, path).toBe(200)
    expect(answer.headers.get('content-type')).toMatch(/^text\/(markdown|plain); charset=utf-8$/)
    return answer.text
  }

  test('/llms.txt lists every document, and each is there, as Markdown where it is a page', async () => {
    const index = await text('/llms.txt', '*/*')
    expect(index).toMatch(/^# The shop\n\n> Orders and payments of a small shop\.\n/)
    const links = [...index.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)
    expect(links).toEqual([
      '/docs/v2',
      '/v2/openapi.json',
      '/docs/model/v2',
      '/docs/v1',
      '/v1/openapi.json',
      '/docs/model/v1',
      '/docs/versions',
      '/docs/migrations/v1-to-v2',
      '/problems',
    ])
    for (const link of links.filter((one) => !one.endsWith('.json'))) expect(await text(link)).toMatch(/^# /)
  })

  test('the reference begins with what a consumer needs, with samples that name what the version has', async () => {
    const reference = await text('/docs/v2')
    expect(await text('/')).toBe(reference)
    expect(await text('/docs')).toBe(reference)
    const first = reference.slice(reference.indexOf('## First steps'), reference.indexOf('\n## Keys'))
    for (const part of [
      'client<typeof shop>({\n  url: API,\n  key: KEY,\n})',
      'curl "$API/v2/customers" \\\n  -H "Authorization: Bearer $KEY"',
      "api.customers.list({\n  include: ['orders', 'referrer'],\n})",
      "-d 'filter[email]=ada@example.com'",
      'cursor=',
      'Idempotency-Key: $(uuidgen)',
      "isProblem(error, 'validation-failed')",
    ])
      expect(first).toContain(part)
    expect(reference).toContain('### PATCH /v2/products/{id}')
    expect(reference).toContain('await api.products.update(await api.products.get(id), {')
    const old = await text('/docs/v1')
    expect(old).toContain("import { client, isProblem } from './shop.ts'")
    expect(old).toContain('api.clients.list(')
    expect(old).not.toContain('api.customers')
  })

  test('problems, versions and the model are there as Markdown', async () => {
    expect(await text('/problems')).toContain(
      '| 409 | [The value is taken](/problems/unique-conflict) | `unique-conflict` |',
    )
    expect(await text('/problems/unique-conflict')).toContain('## How to fix it')
    expect(await text('/docs/versions')).toContain('| [v1](/docs/v1) | ')
    expect(await text('/docs/model/v2')).toContain('- `placed` can move to `paid` or `cancelled`.')
  })

  test('browsers still get HTML, and the sample of a create makes a row', async () => {
    for (const path of ['/', '/docs', '/docs/versions', '/problems']) {
      const answer = await served.get(path, { as: null, headers: { accept: 'text/html,*/*;q=0.8' } })
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    }
    const [, body = ''] =
      /-X POST "\$API\/v2\/customers"[^']*'(\{[^']*\})'/.exec(await text('/docs/v2')) ?? []
    await served.make('/v2/customers', JSON.parse(body))
  })
})
