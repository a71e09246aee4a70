import type { ApiDeclaration } from './declare/api.ts'
import type { ApiUnderTest, TestSettings } from './test-types.ts'
import { testApi as serveForTests } from './testing.ts'

export type { ApiUnderTest as TestApi, TestKey, TestRun, TestSettings as TestOptions } from './test-types.ts'

/**
 * Serves a declaration on a throwaway store.
 *
 * @example
 * const api = await testApi(declaration)
 * const acme = await api.client('acme')
 * const book = await acme.books.create({ title: 'Emma' })
 */
export async function testApi<Api extends ApiDeclaration>(
  declaration: Api,
  options: TestSettings = {},
): Promise<ApiUnderTest<Api>> {
  const { service: _, ...api } = await serveForTests(declaration, options)
  return api
}
