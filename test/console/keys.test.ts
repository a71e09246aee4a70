import { afterAll, beforeAll, expect, it } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { readAuditPage } from '../../src/audit/audit-page.ts'
import { KeyRing } from '../../src/guard/key-ring.ts'
import { type TestApi, testApi } from '../../src/testing.ts'
import { OperatorBrowser, type Page } from '../support/operator-browser.ts'
import { describeStores } from '../support/stores.ts'

describeStores('keys in the console', (store) => {
  let served: TestApi
  let ada: OperatorBrowser

  beforeAll(async () => {
    served = await testApi(shop, { databaseUrl: await store.url() })
    ada = await OperatorBrowser.signedIn(served)
  })
  afterAll(() => served.close())

  const keys = '/console/keys?account=acme'
  const statusWith = async (secret: string): Promise<number> =>
    (await served.fetch('/v2/orders', { headers: { authorization: `Bearer ${secret}` } })).status
  const secretIn = ({ text }: Page): string => /<pre[^>]*><code>(\w+)<\/code>/.exec(text)?.[1] ?? 'none'
  const lastAct = async () => {
    const { entries } = await readAuditPage(served.service, { account: 'acme', operator: 'ada', limit: 1 })
    const { action, detail } = entries[0] ?? {}
    return [action, (detail as { readonly name: string } | undefined)?.name]
  }
  const make = async (fields: { readonly [name: string]: string }): Promise<Page> => {
    const asked = await ada.submit(keys, '/console/keys/new', fields)
    expect(asked.status, asked.text).toBe(200)
    return ada.submitIn(asked, '/console/keys/new', {})
  }
  /** The page with the keys, as if the key of that name was the only one. */
  const rowOf = async (name: string): Promise<Page> => {
    const page = await ada.get(keys)
    const row = page.text.split('<tr>').find((part) => part.startsWith(`<td>${name}`)) ?? ''
    return { ...page, text: row }
  }

  it('a key is made after it was asked once, shown once, and recorded', async () => {
    const asked = await ada.submit(keys, '/console/keys/new', { name: 'reader', scopes: 'orders:read' })
    expect(asked.text).toContain('Make the key reader?')
    expect((await ada.get(keys)).text).not.toContain('>reader<')
    const made = await ada.submitIn(asked, '/console/keys/new', {})
    expect(await statusWith(secretIn(made))).toBe(200)
    expect((await ada.get(keys)).text).not.toContain(secretIn(made))
    expect(await lastAct()).toEqual(['key-created', 'reader'])
    // The last form, sent again, makes no second one.
    expect((await ada.submitIn(asked, '/console/keys/new', {})).status).toBe(409)
  })

  it('a key is made with claims, which its row shows, and a claim that is none is refused with what to do', async () => {
    const fields = { name: 'claiming', scopes: '*' }
    const refused = await ada.submit(keys, '/console/keys/new', { ...fields, claims: 'level:=three' })
    expect(refused.status).toBe(422)
    expect(refused.text).toMatch(
      /The claim &quot;level:=three&quot; is not JSON after :=.*level:=three<\/textarea>/s,
    )
    await make({ ...fields, claims: ' member_id=4=2\r\n\r\norg.level:=3\r\n' })
    const claims = { member_id: '4=2', org: { level: 3 } }
    const stored = await new KeyRing(served.service.store).list('acme')
    expect(stored.find(({ name }) => name === 'claiming')?.claims).toEqual(claims)
    expect((await rowOf('claiming')).text).toContain(JSON.stringify(claims).replaceAll('"', '&quot;'))
  })

  it('a key gets a new secret once, however often the form is sent', async () => {
    const old = secretIn(await make({ name: 'turning', scopes: '*' }))
    const asked = await ada.submitIn(await rowOf('turning'), '/console/keys/rotate', {})
    const turned = await ada.submitIn(asked, '/console/keys/rotate', { overlap: '1d' })
    expect([await statusWith(old), await statusWith(secretIn(turned))]).toEqual([200, 200])
    expect(secretIn(turned)).not.toBe(old)
    expect(await lastAct()).toEqual(['key-rotated', 'turning'])
    const again = await ada.submitIn(asked, '/console/keys/rotate', { overlap: '1d' })
    expect([again.status, again.text.includes('rotated meanwhile')]).toEqual([409, true])
  })

  it('a key is revoked after it was asked once', async () => {
    const secret = secretIn(await make({ name: 'ending', scopes: '*' }))
    const asked = await ada.submitIn(await rowOf('ending'), '/console/keys/revoke', {})
    expect(await statusWith(secret)).toBe(200)
    const done = await ada.submitIn(asked, '/console/keys/revoke', {})
    expect(done.location).toBe('/console/keys?account=acme&done=revoked')
    expect((await rowOf('ending')).text).toContain('revoked <time')
    expect(await lastAct()).toEqual(['key-revoked', 'ending'])
    expect((await ada.submitIn(asked, '/console/keys/revoke', {})).status).toBe(409)
  })

  it('what is wrong with a key is said, and what was typed stays', async () => {
    const wrong = { scopes: 'ordrs:read', expires: 'soon', kind: 'other', name: ' ' }
    for (const [name, value] of Object.entries(wrong)) {
      const typed = { name: 'typed', scopes: '*', contact: 'kept@example.com', [name]: value }
      const page = await ada.submit(keys, '/console/keys/new', typed)
      expect([page.status, page.text.includes('kept@example.com')]).toEqual([422, true])
      expect(page.text).toContain('role="alert"')
    }
    expect((await ada.get(keys)).text).not.toContain('>typed<')
  })

  it('keys of an account are not on the page of another one', async () => {
    await make({ name: 'ours', scopes: '*' })
    expect((await ada.get(keys)).text).toContain('>ours')
    expect((await ada.get('/console/keys?account=globex')).text).not.toContain('>ours')
    expect((await ada.get('/console/keys')).text).toContain('/console/keys?account=acme')
  })
})
