import { compileApi } from '../../src/compile/compile.ts'
import type { Contract } from '../../src/compile/contract-format.ts'
import { Mistakes } from '../../src/compile/mistakes.ts'
import type { Model, Version, View } from '../../src/compile/model.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { type ApiOptions, api } from '../../src/declare/api.ts'
import type { Change } from '../../src/declare/change.ts'
import { type VersionDeclaration, version } from '../../src/declare/version.ts'

type Resources = ApiOptions['resources']

/** A model of two versions: v2 as declared, v1 with the changes taken back. */
export const pairOf = (resources: Resources, changes: readonly Change[]): Model =>
  compileApi(api('pair', { resources, versions: [version('v2'), version('v1', { changes })] }))

export const olderOf = (model: Model): Version => {
  const older = model.versions.at(-1)
  if (!older) throw new Error('there is no version')
  return older
}

export const viewIn = (version: Version, name: string): View => {
  const view = version.views.get(name)
  if (!view) throw new Error(`${version.name} has no ${name}`)
  return view
}

/** The contract of an API that has one version. */
export const contractFor = (resources: Resources, more: Partial<ApiOptions> = {}): Contract => {
  const model = compileApi(api('pair', { resources, versions: [version('v1')], ...more }))
  return contractOf(model, model.head)
}

/** The message for a declaration that cannot be compiled, a line for each mistake. */
export const mistakesIn = (
  resources: Resources,
  versions: readonly VersionDeclaration[],
): readonly string[] => {
  try {
    compileApi(api('pair', { resources, versions }))
    return []
  } catch (error) {
    if (error instanceof Mistakes)
      return error.list.map(({ where, what, hint }) => `${where}: ${what} ${hint}`)
    throw error
  }
}
