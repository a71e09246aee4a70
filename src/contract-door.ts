import { compileApi } from './compile/compile.ts'
import type { Contract } from './compile/contract-format.ts'
import type { Model, Version } from './compile/model.ts'
import { didYouMean } from './compile/names/nearest.ts'
import { contractOf as contractOfVersion } from './contract/contract.ts'
import { compareContracts } from './contract/diff/diff.ts'
import { guideOf as guideBetween } from './contract/guide/guide.ts'
import { openapiOf as documentOf } from './contract/openapi/openapi.ts'
import type { ApiDeclaration } from './declare/api.ts'

/** All that a consumer of one version can see, as JSON: what `contracts/v1.json` has. */
export interface ApiContract {
  readonly api: string
  readonly version: string
  readonly [member: string]: unknown
}

/** One difference between two contracts, as a consumer of the older one finds it. */
export interface ContractDifference {
  readonly verdict: 'breaking' | 'additive'
  /** `orders.status`, `GET /orders` */
  readonly where: string
  readonly what: string
}

export interface ContractOptions {
  /** Frozen contracts by version, as parsed JSON. What was added since is then hidden in those versions, as it is where they are served. */
  readonly contracts?: { readonly [version: string]: unknown }
}

/** The contract of a version, the newest unless another one is named. */
export const contractOf = (
  declaration: ApiDeclaration,
  version?: string,
  options: ContractOptions = {},
): ApiContract => {
  const model = compiled(declaration, options)
  return { ...contractOfVersion(model, versionIn(model, version)) }
}

/** The OpenAPI document of a version, the newest unless another one is named. */
export const openapiOf = (
  declaration: ApiDeclaration,
  version?: string,
  options: ContractOptions = {},
): { readonly [member: string]: unknown } => {
  const model = compiled(declaration, options)
  return { ...documentOf(versionIn(model, version), model) }
}

/** Every difference that a consumer of `older` finds in `newer`; none where there is none. */
export const compare = (older: ApiContract, newer: ApiContract): readonly ContractDifference[] =>
  compareContracts(asContract(older, 'older'), asContract(newer, 'newer')).map(
    ({ verdict, where, what }) => ({
      verdict,
      where,
      what,
    }),
  )

/** How a consumer moves from a version to a newer one, as Markdown. */
export const guideOf = (
  declaration: ApiDeclaration,
  from: string,
  to: string,
  options: ContractOptions = {},
): string => {
  const model = compiled(declaration, options)
  const [older, newer] = [versionIn(model, from), versionIn(model, to)]
  if (model.versions.indexOf(newer) < model.versions.indexOf(older)) return guideBetween(older, newer)
  throw new Error(`${to} is not newer than ${from}. A guide leads from an older version to a newer one.`)
}

const compiled = (declaration: ApiDeclaration, { contracts = {} }: ContractOptions): Model =>
  compileApi(declaration, { contracts: new Map(Object.entries(contracts)) })

const versionIn = ({ head, versions, name: api }: Model, name = head.name): Version => {
  const found = versions.find((version) => version.name === name)
  if (found) return found
  const names = versions.map((version) => version.name)
  throw new Error(`${api} has no version "${name}". ${didYouMean(name, names)}`)
}

/** Contracts may come from files. */
const asContract = (given: ApiContract, which: string): Contract => {
  if (typeof given === 'object' && given !== null && 'service' in given && 'resources' in given)
    return given as unknown as Contract
  throw new Error(
    `The ${which} one is not a contract. Pass what contractOf gives, or the parsed JSON of a file in contracts/.`,
  )
}
